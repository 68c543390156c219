"""Who starts, and why the others wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot, Decision
from jupyter_gpuquota.model.messages.build import reason
from jupyter_gpuquota.model.quota import Project, Rules
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Placement
from jupyter_gpuquota.model.sessions import Kind, Session
from tests.builders import NOW, make_node, make_placement, make_project, make_session, make_slice

NODES = [make_node("n1", 8)]
PROJECTS = [make_project("team-a", "4"), make_project("team-b", "2")]


def decide(sessions: Sequence[Session], projects: Sequence[Project]) -> tuple[Decision, ...]:
    return plan(ClusterSnapshot(sessions, projects, NODES, NOW)).decisions


def outcomes(*sessions: Session) -> dict[str, str]:
    return {
        d.session.removeprefix("id-"): d.outcome.code
        if isinstance(d.outcome, Reason)
        else d.outcome.text
        for d in decide(sessions, PROJECTS)
    }


def test_what_fits_inside_the_quota_starts() -> None:
    assert outcomes(make_session("a", "0.5"), make_session("b", "0.5")) == {
        "a": "n1 GPU 0 (simulated)",
        "b": "n1 GPU 0 (simulated)",
    }


@pytest.mark.parametrize(("gpu", "held"), [("0.5", (0,)), ("2", (0, 1))])
def test_a_victim_is_told_for_whom_its_gpus_are_reclaimed(gpu: str, held: tuple[int, ...]) -> None:
    placement = make_placement(*map(make_slice, held))
    borrower = make_session("a", gpu, "running", kind="train", placement=placement)
    projects = [make_project("team-a", "0"), make_project("team-b", "2")]
    nodes = [make_node("n1", len(held))]
    snapshot = ClusterSnapshot(
        [borrower, make_session("b", gpu, project="team-b")], projects, nodes, NOW
    )
    [eviction] = plan(snapshot).evictions
    assert eviction.reason.message == (
        "Preempted by a session of team-b, which is entitled to GPUs that team-a had borrowed."
    )


@pytest.mark.parametrize("least", [0, 600])
def test_a_clock_that_was_set_back_protects_no_borrower(least: int) -> None:
    place = make_placement(make_slice())
    borrower = make_session("a", "1", "running", kind="train", placement=place)
    borrower = msgspec.structs.replace(borrower, started=NOW + timedelta(hours=1))
    sessions = [borrower, make_session("b", "1", project="team-b")]
    projects = [make_project("team-a", "0"), make_project("team-b", "1")]
    rules = Rules(min_runtime=least)
    decided = plan(ClusterSnapshot(sessions, projects, [make_node("n1", 1)], NOW, rules))
    assert [eviction.session for eviction in decided.evictions] == [borrower.id]


def test_over_the_quota_waits_and_says_by_how_much() -> None:
    running = make_session(
        "r", "3", "running", placement=make_placement(*map(make_slice, (0, 1, 2)))
    )
    [decision] = decide([running, make_session("w", "2")], PROJECTS)
    assert isinstance(decision.outcome, Reason)
    assert decision.outcome.code == "OverQuota"
    assert "use 3 of its 4 GPUs; 2 more would exceed the quota" in decision.outcome.message
    assert "1 GPU" in decision.outcome.hint


def test_what_fits_does_not_wait_for_what_does_not() -> None:
    running = make_session(
        "r", "3", "running", placement=make_placement(*map(make_slice, (0, 1, 2)))
    )
    line = [make_session("big", "2", age=20), make_session("small", "0.5", age=10)]
    assert outcomes(running, *line) == {"big": "OverQuota", "small": "n1 GPU 3 (simulated)"}


def test_a_higher_priority_stands_first() -> None:
    line = [make_session("old", "3", age=20), make_session("urgent", "3", age=1, priority=90)]
    assert list(outcomes(*line)) == ["urgent", "old"]
    assert outcomes(*line)["old"] == "OverQuota"


def test_projects_do_not_hold_each_other_up() -> None:
    line = [make_session("a", "4", age=9), make_session("a2", "1", age=8)]
    assert outcomes(*line, make_session("b", "1", project="team-b"))["b"].startswith("n1 GPU")


def test_a_session_without_gpu_never_waits() -> None:
    line = [make_session("a", "4", age=9), make_session("a2", "4", age=8), make_session("cpu")]
    assert outcomes(*line)["cpu"] == "n1"


def test_a_project_that_is_gone_is_the_reason() -> None:
    assert outcomes(make_session("x", "1", project="gone")) == {"x": "QueueMissing"}


def test_what_has_ended_holds_nothing() -> None:
    full = [
        make_session(f"s{i}", "4", "stopped", placement=make_placement(*map(make_slice, range(4))))
        for i in range(3)
    ]
    [decision] = decide([*full, make_session("w", "4")], PROJECTS)
    assert isinstance(decision.outcome, Placement)


def leaving(name: str, gpu: str, *devices: int, **fields: Any) -> Session:
    """Return a session that is being stopped and whose processes live on."""
    goal = fields.pop("goal", "stop")
    placement = make_placement(*map(make_slice, devices))
    session = make_session(name, gpu, "stopping", placement=placement, **fields)
    return msgspec.structs.replace(session, goal=goal)


@pytest.mark.parametrize(
    ("project", "kind", "code"),
    [
        (make_project("team-a", "4", limit="2"), "train", "OverLimit"),
        (make_project("team-a", "2"), "interactive", "OverQuota"),
        (make_project("team-a", "2", weight="0"), "interactive-spot", "OverQuota"),
    ],
)
def test_what_is_being_stopped_counts_against_its_own_project(
    project: Project, kind: Kind, code: str
) -> None:
    projects = [project, make_project("team-b", "2")]
    stops = leaving("stops", "2", 0, 1, kind=kind)
    line = [make_session("own", "1", kind=kind), make_session("b", "1", project="team-b")]
    found = {d.session: d.outcome for d in decide([stops, *line], projects)}
    own, other = found["id-own"], found["id-b"]
    assert isinstance(own, Reason)
    assert own.code == code
    assert "team-a" in own.message
    assert isinstance(other, Placement)
    stopped = msgspec.structs.replace(stops, state="stopped", placement=None)
    assert all(isinstance(d.outcome, Placement) for d in decide([stopped, *line], projects))


def test_no_colleague_has_to_go_for_what_is_about_to_be_free() -> None:
    projects = [make_project("team-a", "4", limit="2")]
    runs = make_session(
        "runs", "1", "running", placement=make_placement(make_slice(1)), kind="train", priority=1
    )
    runs = msgspec.structs.replace(runs, started=NOW - timedelta(days=1))
    line = [leaving("stops", "1", 0, kind="train"), runs, make_session("own", "1", priority=90)]
    decided = plan(ClusterSnapshot(line, projects, NODES, NOW))
    assert decided.evictions == ()
    assert [d.outcome.code for d in decided.decisions if isinstance(d.outcome, Reason)] == [
        "OverLimit"
    ]


def test_a_resized_session_is_not_in_its_own_way() -> None:
    projects = [make_project("team-a", "2", limit="2")]
    resized = leaving("resized", "1", 0, 1, goal="requeue")
    line = [resized, make_session("own", "1")]
    [decision] = decide(line, projects)
    assert isinstance(decision.outcome, Reason)
    gone = msgspec.structs.replace(resized, state="waiting", placement=None, goal="run")
    assert all(isinstance(d.outcome, Placement) for d in decide([gone, line[1]], projects))


def test_the_machine_can_be_full_before_the_quota_is() -> None:
    projects = [make_project("team-a", "20")]
    taken = make_placement(*map(make_slice, range(8)))
    sessions = [make_session("r", "8", "running", placement=taken), make_session("w", "1")]
    [decision] = decide(sessions, projects)
    assert isinstance(decision.outcome, Reason)
    assert decision.outcome.code == "NoNodeFits"


def test_a_session_that_waits_for_its_data_holds_nothing_and_blocks_nobody() -> None:
    pending = reason("DataPending", "data.fetching", data="faces@good", done=43)
    first = make_session("a", "4", age=3)
    others = [make_session("b", "2", age=2), make_session("c", "2", age=1), make_session("d", "1")]
    snapshot = ClusterSnapshot([first, *others], PROJECTS, NODES, NOW, held={first.id: pending})
    found = {decision.session: decision for decision in plan(snapshot).decisions}
    assert found["id-a"].outcome == pending
    assert [found[f"id-{name}"].outcome.text for name in "bc"] == [
        "n1 GPU 0, 1 (simulated)",
        "n1 GPU 2, 3 (simulated)",
    ]
    assert found["id-d"].outcome.code == "OverQuota"
    assert [found[f"id-{name}"].ahead for name in "abcd"] == [0, 0, 1, 2]


def test_nothing_is_reclaimed_for_a_session_that_waits_for_its_data() -> None:
    borrower = make_session(
        "a", "8", "running", kind="train", placement=make_placement(*map(make_slice, range(8)))
    )
    owner = make_session("b", "2", project="team-b")
    pending = reason("DataPending", "data.waiting", data="faces@good")
    sessions, projects = [borrower, owner], [make_project("team-a", "0"), PROJECTS[1]]
    held = ClusterSnapshot(sessions, projects, NODES, NOW, held={owner.id: pending})
    assert plan(held).evictions == ()
    assert [e.session for e in plan(replace(held, held={})).evictions] == [borrower.id]


def test_nobody_is_started_whom_a_colleague_would_preempt_at_once() -> None:
    projects = [make_project("team-a", "2", limit="2")]
    place = make_placement(make_slice(0))
    runs = make_session("runs", "1", "running", kind="train", placement=place)
    line = [make_session("urgent", "2", age=1), make_session("late", "1", kind="train")]
    decided = plan(ClusterSnapshot([runs, *line], projects, NODES, NOW))
    assert [eviction.session for eviction in decided.evictions] == [runs.id]
    found = {decision.session: decision.outcome for decision in decided.decisions}
    assert found["id-urgent"].code == "BeingReclaimed"
    assert found["id-late"].code == "OverLimit"
