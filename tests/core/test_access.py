"""What a caller may do and is shown: the one rule, case by case."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import msgspec
import pytest

from jupyter_gpuquota.core.access import Caller, Rights, Source, leads, rights_of
from jupyter_gpuquota.core.disclosure import shown
from jupyter_gpuquota.errors import NotAllowed, NotFound
from jupyter_gpuquota.model.ending import Exit
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.routes.route import Need
from jupyter_gpuquota.model.sessions import Progress, Reclaim, Session
from tests.builders import NOW, make_project, make_session

ALL = ("logs", "exec", "ingress", "history", "administration", "policing")

TEAM = make_project("team-a", members=("ben",), viewers=("vic",), leads=("lea", "group:heads"))


def rights(name: str, *groups: str, admin: bool = False, session: str = "") -> Rights:
    caller = Caller(name, frozenset(groups), known="token", session=session)
    return rights_of(caller, [TEAM, make_project("team-b")], admin=admin)


def of_ana(**changes: object) -> Session:
    return msgspec.structs.replace(make_session("s1", state="running"), owner="ana", **changes)


NEEDS: tuple[Need, ...] = get_args(Need)


@pytest.mark.parametrize(
    ("who", "may"),
    [
        (rights("eve"), "anyone person"),
        (rights("vic"), "anyone person see"),
        (rights("ben"), "anyone person see"),
        (rights("lea"), "anyone person see inspect log manage"),
        (rights("eve", "heads"), "anyone person see inspect log manage"),
        (rights("ana"), "anyone person see inspect log manage own enter exec"),
        (rights("root", admin=True), "anyone person see inspect log manage own enter exec admin"),
        (rights("ana", session="id-s1"), "anyone see inspect log manage"),
        (rights("ana", session="id-s2"), "anyone"),
    ],
)
def test_who_may_what(who: Rights, may: str) -> None:
    assert {need for need in NEEDS if who.may(need, of_ana())} == set(may.split())


def test_what_is_refused_is_not_found_by_whom_it_is_hidden_from() -> None:
    with pytest.raises(NotFound, match="Session 'id-s1' not found"):
        rights("eve").check("manage", of_ana(), "stop")
    with pytest.raises(NotAllowed, match="You may not stop s1") as caught:
        rights("ben").check("manage", of_ana(), "stop")
    assert caught.value.hint == "Only its owner ana, leads of team-a and admins may."
    with pytest.raises(NotAllowed, match="may not enter itself"):
        rights("ana", session="id-s1").check("enter", of_ana(), "enter")


def test_a_session_acts_for_itself_only() -> None:
    with pytest.raises(NotAllowed, match="token acts for that session only"):
        rights("root", admin=True, session="id-s1").check_admin()


def test_only_the_owner_shows_a_session_on_an_own_page() -> None:
    rights("ana").check_same_origin(of_ana())
    for who in (rights("root", admin=True), rights("lea"), rights("ana", session="id-s1")):
        with pytest.raises(NotAllowed, match="Only ana can open s1"):
            who.check_same_origin(of_ana())


def test_of_a_session_members_see_no_command_no_folder_and_no_last_words() -> None:
    session = of_ana(
        progress=(Progress(at=NOW, message="Starting from /home/ana/env"),),
        exit=Exit(code=1, at=NOW, last_lines=("secret",)),
        reason=Reason(code="CommandFailed", message="It failed.", raw="secret"),
    )
    seen = shown(session, rights("ben"), ALL)
    assert (seen.owner, seen.state, seen.spec.share) == ("ana", "running", session.spec.share)
    assert (seen.reason.code, seen.reason.raw) == ("CommandFailed", "")
    assert (seen.progress, seen.exit, seen.usage, seen.path) == ((), None, None, "")
    assert "secret" not in repr(seen)
    assert "/home/ana" not in repr(seen)
    assert shown(session, rights("lea"), ALL).exit == session.exit


def test_what_a_project_withholds_is_neither_offered_nor_allowed() -> None:
    session = of_ana(exit=Exit(code=1, at=NOW, last_lines=("secret",)))
    less = replace(rights("ana"), withheld={"team-a": frozenset({"log", "exec"})})
    assert {need for need in NEEDS if rights("ana").may(need, session)} - {
        need for need in NEEDS if less.may(need, session)
    } == {"log", "exec"}
    seen = shown(session, less, ALL)
    assert {"open", "stop", "activity"} <= set(seen.actions)
    assert not {"log", "exec"} & set(seen.actions)
    assert "secret" not in repr(seen)
    assert seen.spec.command == session.spec.command
    with pytest.raises(NotAllowed, match="You may not run programs in s1"):
        less.check("exec", session, "run programs in")
    assert less.key != rights("ana").key


def test_a_source_of_roles_may_ask_owners_for_one() -> None:
    strict = Source(
        owners=frozenset({"member", "lead"}),
        who={"manage": "owners who may launch in {project}"},
        admins="Ask the cluster.",
    )
    for role, may in {
        None: "anyone person",
        "viewer": "anyone person see",
        "member": "anyone person see inspect log manage own enter exec",
        "lead": "anyone person see inspect log manage own enter exec",
    }.items():
        roles = {"team-a": role} if role else {}
        who = Rights(Caller("ana"), roles=roles, source=strict)
        assert {need for need in NEEDS if who.may(need, of_ana())} == set(may.split()), role
    viewer = Rights(Caller("ana"), roles={"team-a": "viewer"}, source=strict)
    with pytest.raises(NotAllowed) as caught:
        viewer.check("manage", of_ana(), "stop")
    assert caught.value.hint == "Only owners who may launch in team-a may."
    with pytest.raises(NotAllowed) as caught:
        viewer.check_admin()
    assert caught.value.hint == "Ask the cluster."


def test_the_taker_is_named_to_those_who_see_its_project_only() -> None:
    taken = of_ana(reclaimed=Reclaim(at=NOW, session="s9", name="big", project="shut"))
    assert shown(taken, rights("ana"), ALL).reclaimed == Reclaim(
        at=NOW, session="", name="", project="shut"
    )
    assert shown(taken, rights("root", admin=True), ALL).reclaimed == taken.reclaimed


def test_actions_are_what_state_rights_and_backend_allow() -> None:
    every = set(shown(of_ana(), rights("ana"), ALL).actions)
    assert {"open", "exec", "log", "stop", "keep_alive", "activity"} <= every
    assert set(shown(of_ana(), rights("ana"), ()).actions) == {"suspend", "resize", "stop"}
    assert set(shown(of_ana(), rights("root", admin=True), ALL).actions) == every - {"open"}
    lead = set(shown(of_ana(), rights("lea"), ALL).actions)
    assert lead == {"log", "activity", "stop", "suspend", "keep_alive"}
    assert shown(of_ana(), rights("ben"), ALL).actions == ()


def test_each_cluster_decides_about_its_own_projects() -> None:
    ana = Caller("ana")
    there = Rights(ana, roles={"cloud/ml": "lead"}, withheld={"cloud/ml": frozenset({"exec"})})
    rights = Rights(ana, admin=True, roles={"cloud/ml": "lead"}, clusters={"cloud": there})
    assert rights.of("team-a") is rights
    assert rights.of("cloud/ml") is there
    assert rights.of("cloud/other") is there
    assert rights.launches("team-b")
    assert not rights.launches("cloud/other")
    assert leads(rights, "cloud/ml")
    assert not leads(rights, "cloud/other")
    session = make_session(project="cloud/ml", owner="bo")
    assert rights.may("manage", session)
    assert not rights.may("own", session)
    assert rights.may("own", make_session(project="team-a", owner="bo"))
    less = replace(there, withheld={})
    assert replace(rights, clusters={"cloud": less}).key != rights.key
