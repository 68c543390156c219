"""The effects of a change of settings, and all its errors together."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota.core.forecast import impact
from jupyter_gpuquota.core.forecast.settings_change import Present, changed
from jupyter_gpuquota.core.nodegroups import labelled
from jupyter_gpuquota.core.projects import NO_GROUPS
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.model.projects import (
    AffinityRequest,
    Groups,
    NodeGroup,
    NodeGroupRequest,
    ProjectRequest,
    RulesRequest,
    SettingsChange,
    group_request_of,
)
from jupyter_gpuquota.model.quota import USUAL_RULES, Affinity, Rules
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


def sharing(name: str, index: int = 0, *, compute: int = 0, milli: int = 500, **fields):
    """Run on a part of a device: by memory alone, or with a part of its compute."""
    placement = make_placement(make_slice(index, milli, compute=compute))
    asked = {"gpu_compute": compute} if compute else {}
    return make_session(name, "0.5", "running", placement=placement, **asked, **fields)


def play(sessions, before, after):
    snapshot = ClusterSnapshot(sessions, before, [make_node()], NOW)
    return impact.compare(snapshot, replace(snapshot, projects=after))


def replaced(session, **fields):
    return msgspec.structs.replace(session, **fields)


def of_itself(label: str):
    return msgspec.structs.replace(make_node(), labels=(label,))


def effects(found) -> set[tuple[str, str]]:
    return {(session.name, session.effect) for session in found.sessions}


def try_out(change, sessions, projects, nodes, groups=NO_GROUPS, rules=USUAL_RULES):
    """Play a change on sessions."""
    before = ClusterSnapshot(sessions, projects, labelled(nodes, groups), NOW, rules)
    return impact.compare(before, changed(change, Present(before, nodes, groups)))


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


def test_a_deleted_project_keeps_what_waits_from_starting():
    waits = make_session("wants", "9", project="team-b", kind="train")
    found = play([waits], [make_project(), make_project("team-b")], [make_project()])
    assert [(s.name, s.effect) for s in found.sessions] == [("wants", "waits")]
    assert "no longer exists" in found.sessions[0].message


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


def rules_of(**fields) -> SettingsChange:
    return SettingsChange(rules=RulesRequest(**fields))


def groups_of(*groups: NodeGroupRequest) -> SettingsChange:
    return SettingsChange(groups=groups)


def test_moving_sessions_out_of_fragments_shows_who_would_be_moved():
    halves = [sharing(f"half-{i}", i, kind="train", age=9 - i) for i in range(2)]
    waits = make_session("whole", "1", kind="train", age=1)
    asked = rules_of(consolidate=True)
    found = try_out(asked, [*halves, waits], [make_project()], [make_node(gpus=2)])
    assert sorted(effect for _, effect in effects(found)) == ["moves", "starts"]
    assert "1 session would start. 1 session would be moved" in found.message
    assert "2 sessions could be moved to make room" in found.message
    [moved] = [s.message for s in found.sessions if s.effect == "moves"]
    assert "would be restarted on n1, GPU" in moved
    back = try_out(
        rules_of(),
        [*halves, waits],
        [make_project()],
        [make_node(gpus=2)],
        rules=Rules(consolidate=True),
    )
    assert ("whole", "waits") in effects(back)
    assert (
        "1 session would keep its GPUs. 1 session would be queued instead of starting"
        in back.message
    )
    assert "could no longer be moved" in back.message


def test_separate_nodes_make_wait_who_would_start_and_move_nobody():
    both = [sharing("memory"), sharing("compute", compute=30, milli=300)]
    apart = groups_of(NodeGroupRequest(name="apart", nodes=("n1",), separate=True))
    found = try_out(apart, both, [make_project()], [make_node(gpus=1)])
    assert found.sessions == ()
    assert found.message == "No immediate effect on current sessions."
    waits = make_session("more", "0.5", gpu_compute=30)
    found = try_out(apart, [sharing("memory"), waits], [make_project()], [make_node(gpus=1)])
    assert effects(found) == {("more", "waits")}
    assert "1 session would be queued instead of starting" in found.message
    assert found.sessions[0].message.startswith(
        "more (team-a) would be queued instead of starting. "
    )


def test_who_runs_stays_where_it_could_not_start_any_more():
    bound = make_project(node_affinity=Affinity(train=("big",)))
    sessions = [running("runs", 1), make_session("next", "1", kind="train")]
    emptied = groups_of(NodeGroupRequest(name="big", nodes=("n2",)))
    nodes = [make_node(), make_node("n2", 0)]
    found = try_out(emptied, sessions, [bound], nodes, BIG)
    assert effects(found) == {("next", "waits")}
    assert {p.name: p.allocated for p in found.projects} == {"team-a": 1000}


def test_a_group_that_goes_takes_its_label_and_nodes_keep_their_own():
    asks = make_session("asks", "1", node_type="big")
    found = try_out(groups_of(), [asks], [make_project()], [make_node()], BIG)
    assert effects(found) == {("asks", "waits")}
    found = try_out(groups_of(), [asks], [make_project()], [of_itself("big")], BIG)
    assert found.sessions == ()


def test_who_could_never_start_or_then_could_is_told():
    bound = make_project("team-a", "8", node_affinity=Affinity(train=("big",)))
    sessions = [running("loan", 8), make_session("waits", "8", kind="train")]
    emptied = groups_of(NodeGroupRequest(name="big"))
    found = try_out(emptied, sessions, [bound], [make_node()], BIG)
    assert [s.message for s in found.sessions] == [
        "waits (team-a) could never start: None of the nodes that team-a may use has a GPU for "
        "this kind of session."
    ]
    assert "1 session could never start" in found.message
    none = Groups(items=(NodeGroup(name="big"),))
    found = try_out(
        groups_of(*map(group_request_of, BIG.items)), sessions, [bound], [make_node()], none
    )
    assert "1 session that cannot start now could start later" in found.message
    assert found.sessions[0].message.startswith(
        "waits (team-a) cannot start now, but could start later."
    )
    small = SettingsChange(put=(ProjectRequest(name="team-a", quota=2),))
    asks = make_session("asks", "8")
    found = try_out(small, [running("loan", 8), asks], [make_project(quota="8")], [make_node()])
    assert ("asks", "waits") in effects(found)


def test_a_group_that_comes_lets_start_who_waits_for_it():
    asks = make_session("asks", "1", node_type="big")
    found = try_out(SettingsChange(groups=BIG.items), [asks], [make_project()], [make_node()])
    assert effects(found) == {("asks", "starts")}


def test_a_shorter_time_of_safety_takes_back_at_once_and_a_longer_one_is_told():
    borrower = running("loan", 8, project="team-b", age=600)
    waits = make_session("wants", "4", kind="train", age=50)
    teams = [make_project(), make_project("team-b")]
    safe = Rules(min_runtime=3600)
    found = try_out(rules_of(), [borrower, waits], teams, [make_node()], rules=safe)
    assert effects(found) == {("wants", "starts"), ("loan", "reclaimed")}
    assert "1 session would no longer be protected by its minimum run time" in found.message
    held = running("held", 2, age=600)
    found = try_out(rules_of(min_runtime="1h"), [held], teams, [make_node()])
    assert found.message == (
        "No immediate effect on current sessions. "
        "1 session would still be protected by its minimum run time."
    )


def test_a_shorter_life_shows_who_would_be_stopped_and_who_starts_then():
    now = {"kind": "interactive"}
    old = replaced(running("old", 4, **now), started=NOW - timedelta(hours=3))
    new = replaced(running("new", 4, 4, **now), started=NOW - timedelta(minutes=5))
    waits = make_session("wants", "4", kind="train", project="team-b")
    teams = [make_project("team-a", "8"), make_project("team-b", "4")]
    shorter = ProjectRequest(name="team-a", quota=8, interactive_duration="1h")
    found = try_out(SettingsChange(put=(shorter,)), [old, new, waits], teams, [make_node()])
    assert effects(found) == {("old", "ends"), ("wants", "starts")}
    assert "1 session would start. 1 session would be stopped." in found.message
    assert found.message.endswith("1 session would have to end sooner.")
    said = "old (team-a) would be stopped: its maximum run time is over."
    assert found.sessions[0].message == said
    bounded = [make_project("team-a", "8", interactive_duration=3600), teams[1]]
    freed = SettingsChange(put=(ProjectRequest(name="team-a", quota=8),))
    found = try_out(freed, [new], bounded, [make_node()])
    assert found.message == ("No immediate effect on current sessions. 1 session could run longer.")


def test_who_has_not_run_long_enough_could_not_be_moved_either():
    runs = [running("new", 1, age=10), running("old", 1, 1, age=7200)]
    asked = rules_of(consolidate=True, min_runtime="1h")
    found = try_out(asked, runs, [make_project()], [make_node()])
    assert "1 session would still be protected by its minimum run time" in found.message
    assert "1 session could be moved to make room" in found.message


def test_another_grace_says_whom_it_would_matter_to():
    asked = rules_of(grace="5m")
    sessions = [running("train", 1), running("inter", 1, 1, kind="interactive")]
    found = try_out(asked, sessions, [make_project()], [make_node()])
    said = "1 session would have 5 min instead of 1 min to save when preempted."
    assert said in found.message
    assert "when preempted" not in try_out(asked, [], [make_project()], [make_node()]).message


def test_who_would_be_taken_from_anyway_and_then_not_keeps_its_gpus():
    loan = running("loan", 8, project="team-b", age=100)
    waits = make_session("wants", "4", kind="interactive", age=50)
    teams = [make_project(), make_project("team-b")]
    found = play([loan, waits], teams, [make_project(quota="0"), teams[1]])
    assert effects(found) == {("loan", "keeps"), ("wants", "waits")}
    assert "1 session would keep its GPUs" in found.message


def test_what_is_not_named_stays_as_it_is():
    before = ClusterSnapshot(
        [], [make_project()], labelled([make_node()], BIG), NOW, Rules(grace=5)
    )
    assert changed(SettingsChange(), Present(before, [make_node()], BIG)) == replace(
        before, projects=(make_project(),)
    )


def refused(change: SettingsChange, *projects, groups: Groups = BIG, sessions=()) -> list[str]:
    nodes = [make_node()]
    before = ClusterSnapshot(sessions, projects, labelled(nodes, groups), NOW)
    with pytest.raises(InvalidFields) as caught:
        changed(change, Present(before, nodes, groups))
    return [problem.field for problem in caught.value.fields]


def test_every_mistake_of_every_part_is_named_at_once():
    wrong = SettingsChange(
        put=(
            ProjectRequest(name="X", quota="-1"),
            ProjectRequest(name="twice", quota=1),
            ProjectRequest(name="twice", quota=1),
            ProjectRequest(
                name="team-a", quota=1, node_affinity=AffinityRequest(train=("big", "new"))
            ),
        ),
        delete=("team-a",),
        rules=RulesRequest(grace="soon", min_runtime=-1),
        groups=(NodeGroupRequest(name="New", nodes=("n9",)), NodeGroupRequest(name="new")),
    )
    bound = make_project("bound", node_affinity=Affinity(interactive=("big",)))
    assert set(refused(wrong, make_project(), bound)) == {
        "put[0].name",
        "put[0].quota",
        "put[2].name",
        "put[3].name",
        "put[3].node_affinity.train[0]",
        "rules.grace",
        "rules.min_runtime",
        "groups[0].name",
        "groups[0].nodes[0]",
        "groups",
    }


def test_a_group_may_go_with_the_last_project_that_asks_for_it():
    bound = make_project(node_affinity=Affinity(train=("big",)))
    assert refused(groups_of(), bound) == ["groups"]
    before = ClusterSnapshot([], [bound], labelled([make_node()], BIG), NOW)
    present = Present(before, [make_node()], BIG)
    freed = SettingsChange(groups=(), put=(ProjectRequest(name="team-a", quota=4),))
    assert changed(freed, present).nodes[0].labels == ()
    gone = SettingsChange(groups=(), delete=("team-a",))
    assert changed(gone, present).projects == ()
    # With sessions it drains, and goes on asking for the group.
    assert refused(gone, bound, sessions=[running("x", 1)]) == ["groups"]
    with pytest.raises(NotFound):
        changed(SettingsChange(delete=("nobody",)), present)


def test_a_group_that_the_nodes_have_of_themselves_may_be_asked_for():
    own = make_project(node_affinity=Affinity(train=("a100",)))
    nodes = [of_itself("a100")]
    before = ClusterSnapshot([], [own], labelled(nodes, BIG), NOW)
    assert changed(groups_of(), Present(before, nodes, BIG)).nodes[0].labels == ("a100",)
