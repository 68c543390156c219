"""Callers are offered what routes allow, and see no more of others than they may."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_gpuquota.core import disclosure
from jupyter_gpuquota.core.access import Caller, Rights, rights_of
from jupyter_gpuquota.core.actions import by_state
from jupyter_gpuquota.core.end_requests import requested
from jupyter_gpuquota.core.forecast.previews import preview
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot
from jupyter_gpuquota.core.usage.nodes import draw
from jupyter_gpuquota.model.ending import Exit
from jupyter_gpuquota.model.messages.build import message
from jupyter_gpuquota.model.nodes import GpuProgram, Reading
from jupyter_gpuquota.model.policy import Exemption, Policy
from jupyter_gpuquota.model.previews import Preview
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import ACTIONS, STATES, Action, Reclaim, Session, State
from jupyter_gpuquota.ports.backend import CAPABILITIES
from tests.builders import NOW, make_node, make_placement, make_project, make_session, make_slice

PROJECT = make_project("team-a", leads=("lead",), members=("owner", "member"), viewers=("viewer",))
ROUTES: dict[Action, str] = {
    "open": "sessions.endpoint",
    "snapshot": "snapshots.create",
    **{action: f"sessions.{action}" for action in ACTIONS if action not in ("open", "snapshot")},
}
PEOPLE = ("owner", "lead", "member", "viewer", "admin", "session")


def rights(who: str) -> Rights:
    """Return the rights of a caller in some relation to the session `exp-1`."""
    caller = Caller("owner", session="id-exp-1") if who == "session" else Caller(who)
    return rights_of(caller, [PROJECT], admin=who == "admin")


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("state", STATES)
def test_what_is_offered_is_what_the_routes_allow(who: str, state: State) -> None:
    session = make_session("exp-1", state=state, owner="owner", ports=(6006,))
    session = msgspec.structs.replace(session, started=NOW)
    offered = set(disclosure.shown(session, rights(who), tuple(CAPABILITIES)).actions)
    allowed = {a for a in by_state(state) if rights(who).may(route(ROUTES[a]).need, session)}
    if who not in ("owner", "session"):
        allowed -= {"snapshot"}
    assert offered == (allowed if who == "owner" else allowed - {"open"})


def test_what_has_never_run_is_not_stored() -> None:
    session = make_session("exp-1", state="stopped", owner="owner")
    offered = disclosure.shown(session, rights("owner"), tuple(CAPABILITIES)).actions
    assert "snapshot" not in offered


def test_what_nothing_ends_is_not_kept_alive() -> None:
    session = make_session("exp-1", state="running", owner="owner")
    found = disclosure.shown(session, rights("owner"), tuple(CAPABILITIES), extends=False)
    assert "keep_alive" not in found.actions


def test_what_the_backend_cannot_do_is_not_offered() -> None:
    session = make_session("exp-1", state="running", owner="owner", ports=(6006,))
    offered = disclosure.shown(session, rights("owner"), ()).actions
    assert set(offered) == {"suspend", "resize", "stop"}


@pytest.mark.parametrize("who", PEOPLE)
def test_only_some_are_told_what_a_session_does(who: str) -> None:
    session = msgspec.structs.replace(
        make_session("exp-1", "1", "failed", owner="owner", command=("secret",)),
        reason=Reason(code="Crashed", message="It crashed.", raw="secret"),
        exit=Exit(code=1, at=NOW, last_lines=("secret",)),
    )
    found = disclosure.shown(session, rights(who), tuple(CAPABILITIES))
    assert ("secret" in repr(found)) == (who not in {"member", "viewer"})
    assert (found.spec.name, found.owner, found.spec.share) == (
        "exp-1",
        "owner",
        session.spec.share,
    )
    assert found.reason.message == "It crashed."
    assert bool(found.path) == (who in {"owner", "admin"})


@pytest.mark.parametrize("who", PEOPLE)
def test_only_some_are_told_who_has_ended_a_session_and_why(who: str) -> None:
    lost = message("ending.unsaved", documents=2)
    why = requested("suspend", "root", "The node is needed.").extended(lost)
    session = msgspec.structs.replace(
        make_session("exp-1", state="suspended", owner="owner"), reason=why
    )
    found = disclosure.shown(session, rights(who), tuple(CAPABILITIES)).reason
    if who in {"member", "viewer"}:
        assert found == requested("suspend").extended(lost)
    else:
        assert found == why


def test_the_people_of_a_project_are_told_to_each_other() -> None:
    assert disclosure.project(PROJECT, rights("viewer")) == PROJECT
    shown = disclosure.project(PROJECT, rights("stranger"))
    assert (shown.members, shown.leads, shown.viewers, shown.people_shown) == ((), (), (), False)


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("admin", {"train": "owner", "game": "carol"}),
        ("owner", {"train": "owner", "": "carol"}),
        ("viewer", {"train": "owner", "": "carol"}),
        ("carol", {"game": "carol"}),
    ],
)
def test_who_else_uses_a_gpu_is_told_and_what_to_those_who_may_know(who, told):
    held = make_placement(make_slice(0, 500))
    session = make_session("a", "0.5", "running", owner="owner", placement=held)
    programs = (
        GpuProgram(session=session.id, name="train", owner="owner", pid=11, memory=2048),
        GpuProgram(name="game", owner="carol", pid=12, memory=512),
    )
    nodes = [make_node("n1", 1)]
    readings = {nodes[0].devices[0].uuid: Reading(utilisation=90, programs=programs)}
    (node,) = disclosure.nodes(draw(nodes, [session], readings), rights(who))
    shown = node.devices[0].programs
    assert {each.name: each.owner for each in shown} == told
    assert [each.memory for each in shown][-1] == 512
    assert all((each.pid is None) == (not each.name) for each in shown)


def test_who_took_the_gpus_is_named_to_whoever_sees_that_project() -> None:
    taken = Reclaim(at=NOW, project="team-b", session="id-other", name="other")
    session = msgspec.structs.replace(make_session("exp-1", owner="owner"), reclaimed=taken)
    told = disclosure.shown(session, rights("owner"), tuple(CAPABILITIES)).reclaimed
    assert (told.project, told.name, told.session) == ("team-b", "", "")
    assert disclosure.shown(session, rights("admin"), tuple(CAPABILITIES)).reclaimed == taken


def seen_by(who: str, request: Session, state: ClusterSnapshot) -> Preview:
    """Return the preview of a request as somebody sees it."""
    rights = rights_of(Caller(who), state.projects, admin=who == "admin")
    return disclosure.preview(preview(request.spec, state), state.sessions, rights)


@pytest.mark.parametrize(
    ("who", "sessions", "preempts"),
    [
        ("ana", "team-a/1", ()),
        ("both", "busy", ("id-busy",)),
        ("li", "busy", ("id-busy",)),
        ("admin", "busy", ("id-busy",)),
    ],
)
def test_who_would_be_preempted_is_named_to_those_who_may_know(
    who: str, sessions: str, preempts: tuple[str, ...]
) -> None:
    place = make_placement(make_slice(0))
    busy = make_session("busy", "1", "running", kind="train", owner="li", placement=place)
    wish = make_session("mine", "1", project="team-b", owner=who)
    projects = [
        make_project("team-a", "0", members=("both",)),
        make_project("team-b", "1", members=("ana", "both", "li")),
    ]
    state = ClusterSnapshot([busy], projects, [make_node("n1", 1)], NOW)
    found = seen_by(who, wish, state)
    assert found.sentences[1].args["sessions"] == sessions
    assert found.preempts == preempts
    assert found.message.count(found.sentences[1].text) == 1


def test_arguments_tell_no_more_of_other_projects_than_texts() -> None:
    """Reasons and previews are shown to all who see a session: none names another project's."""
    places = [make_placement(make_slice(i)) for i in range(2)]
    borrowers = [
        make_session(f"hidden-{i}", "1", "running", kind="train", owner="li", placement=place)
        for i, place in enumerate(places)
    ]
    claims = make_session("mine", "1", project="team-b", owner="ana")
    leaving = msgspec.structs.replace(borrowers[0], state="stopping", goal="stop")
    projects = [
        make_project("team-a", "0", members=("li",)),
        make_project("team-b", "2", members=("ana",)),
    ]
    nodes = [make_node("n1", 2)]

    def snapshot(*sessions: Session) -> ClusterSnapshot:
        return ClusterSnapshot(sessions, projects, nodes, NOW)

    reclaims = plan(snapshot(*borrowers, claims))
    releases = plan(snapshot(leaving, borrowers[1], claims))
    asked = seen_by("ana", claims, snapshot(*borrowers))
    to_team_b = [reclaims.decisions, releases.decisions, asked]
    to_team_a = [eviction.reason for eviction in reclaims.evictions]
    assert "'team-a/1'" in repr(to_team_b)
    assert "'team-b/1'" in repr(to_team_a)
    assert "hidden" not in repr(to_team_b)
    assert "mine" not in repr(to_team_a)
    assert all(
        word not in repr([*to_team_a, *to_team_b]) for word in ("'li'", "'ana'", "id-hidden")
    )


def test_exemptions_are_told_to_those_who_know_whom_they_are_for() -> None:
    names = ("session:id-exp-1", "user:owner", "user:carol", "project:team-a", "project:team-b")
    policy = Policy(exemptions=tuple(Exemption(who=each, until=NOW, reason="!") for each in names))
    sessions = [make_session("exp-1", "1", "running", owner="owner", project="team-a")]

    def told(who: str) -> list[str]:
        found = disclosure.policy(policy, sessions, rights(who))
        return [each.who for each in found.exemptions]

    assert told("admin") == [*names]
    assert told("owner") == ["session:id-exp-1", "user:owner", "project:team-a"]
    assert told("carol") == ["user:carol"]
