"""Who starts, and why the others wait."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_gpuquota.core.plans import Decision, Situation
from jupyter_gpuquota.core.scheduling import plan
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.resources import Placement
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_node, make_placement, make_project, make_session, make_slice

NODES = [make_node("n1", 8)]
PROJECTS = [make_project("team-a", "4"), make_project("team-b", "2")]


def decide(sessions: Sequence[Session], projects: Sequence[Project]) -> tuple[Decision, ...]:
    return plan(Situation(sessions, projects, NODES, NOW)).decisions


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


def test_over_the_quota_waits_and_says_by_how_much() -> None:
    running = make_session(
        "r", "3", "running", placement=make_placement(*map(make_slice, (0, 1, 2)))
    )
    [decision] = decide([running, make_session("w", "2")], PROJECTS)
    assert isinstance(decision.outcome, Reason)
    assert decision.outcome.code == "OverQuota"
    assert "use 3 of its 4 GPUs" in decision.outcome.message
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


def test_the_machine_can_be_full_before_the_quota_is() -> None:
    projects = [make_project("team-a", "20")]
    taken = make_placement(*map(make_slice, range(8)))
    sessions = [make_session("r", "8", "running", placement=taken), make_session("w", "1")]
    [decision] = decide(sessions, projects)
    assert isinstance(decision.outcome, Reason)
    assert decision.outcome.code == "NoNodeFits"
