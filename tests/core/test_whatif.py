"""The effects of a change of settings, and all its errors together."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from jupyter_gpuquota.core.forecast import impact
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.model.projects import (
    Groups,
    NodeGroup,
)
from jupyter_gpuquota.model.quota import Rules
from tests.builders import (
    NOW,
    make_node,
    make_placement,
    make_project,
    make_session,
    make_slice,
)

BIG = Groups(items=(NodeGroup(name="big", nodes=("n1",)),))


def running(name: str, gpus: int, first: int = 0, node: str = "n1", **fields):
    slices = [make_slice(i) for i in range(first, first + gpus)]
    placement = make_placement(*slices, node=node)
    fields = {"kind": "train", **fields}
    return make_session(name, str(gpus), "running", placement=placement, **fields)


def play(sessions, before, after):
    snapshot = ClusterSnapshot(sessions, before, [make_node()], NOW)
    return impact.compare(snapshot, after)


def half(index: int):
    placement = make_placement(make_slice(index, 500))
    return make_session(
        f"half-{index}", "0.5", "running", placement=placement, kind="train", age=9 - index
    )


def replaced(session, **fields):
    return msgspec.structs.replace(session, **fields)


def effects(found) -> set[tuple[str, str]]:
    return {(session.name, session.effect) for session in found.sessions}


def test_a_raised_quota_shows_who_would_start_and_who_be_reclaimed():
    borrower = running("loan", 8, project="team-b", age=100)
    waits = make_session("wants", "4", kind="interactive", age=50)
    before = [make_project("team-a", "2"), make_project("team-b", "4")]
    found = play([borrower, waits], before, [make_project("team-a", "4"), before[1]])
    assert {(s.name, s.effect) for s in found.sessions} == {
        ("wants", "starts"),
        ("loan", "reclaimed"),
    }
    assert "1 session would start" in found.message
    effect = {p.name: p for p in found.projects}["team-a"]
    assert (effect.quota_before, effect.quota) == (2000, 4000)
    assert (effect.allocated_before, effect.allocated) == (0, 4000)
    assert all(s.message.count("(team-") for s in found.sessions)


def test_a_change_without_effect_says_so():
    found = play([running("x", 1)], [make_project()], [make_project(priority=50)])
    assert found.message == "No immediate effect on current sessions."
    assert found.sessions == ()


def test_a_draining_project_starts_nothing_and_claims_nothing():
    waits = make_session("wants", "4", kind="train")
    closing = make_project("team-a", "4", draining=True)
    rest = impact.settle(ClusterSnapshot([waits], [closing], [make_node()], NOW))
    session = rest.sessions[waits.id]
    assert session.state == "waiting"
    assert session.reason.code == "QueueMissing"
    assert "being closed" in session.reason.message
    assert rest.fair["team-a"] == 0


def test_a_shorter_life_shows_who_would_be_stopped_and_who_starts_then():
    now = {"kind": "interactive"}
    old = replaced(running("old", 4, **now), started=NOW - timedelta(hours=3))
    new = replaced(running("new", 4, 4, **now), started=NOW - timedelta(minutes=5))
    waits = make_session("wants", "4", kind="train", project="team-b")
    teams = [make_project("team-a", "8"), make_project("team-b", "4")]
    shorter = [make_project("team-a", "8", interactive_duration=3600), teams[1]]
    found = play([old, new, waits], teams, shorter)
    assert effects(found) == {("old", "ends"), ("wants", "starts")}
    assert found.message.startswith("1 session would start. 1 session would be stopped.")
    said = "old (team-a) would be stopped: its maximum run time is over."
    assert found.sessions[0].message == said


def test_who_would_be_taken_from_anyway_and_then_not_keeps_its_gpus():
    loan = running("loan", 8, project="team-b", age=100)
    waits = make_session("wants", "4", kind="interactive", age=50)
    teams = [make_project(), make_project("team-b")]
    found = play([loan, waits], teams, [make_project(quota="0"), teams[1]])
    assert effects(found) == {("loan", "keeps"), ("wants", "waits")}
    assert "1 session would keep its GPUs" in found.message


def test_who_could_start_less_later_is_queued_for_another_reason():
    asks = make_session("asks", "8", kind="train")
    found = play([running("loan", 8), asks], [make_project(quota="8")], [make_project(quota="2")])
    assert effects(found) == {("asks", "waits")}
    assert "1 session would be queued for another reason" in found.message


def test_who_would_be_moved_is_preempted():
    halves = [half(i) for i in range(2)]
    waits = make_session("whole", "1", kind="train", age=1, project="team-b")
    before = [make_project("team-a", "1"), make_project("team-b", "0", limit="0")]
    after = [before[0], make_project("team-b", "1")]
    nodes, rules = [make_node(gpus=2)], Rules(consolidate=True)
    snapshot = ClusterSnapshot([*halves, waits], before, nodes, NOW, rules)
    found = impact.compare(snapshot, after)
    assert sorted(effect for _, effect in effects(found)) == ["reclaimed", "starts"]
