"""What an admin asks is checked whole, and tried before it is set."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.core import members
from jupyter_gpuquota.core.access import Caller, rights_of
from jupyter_gpuquota.core.projects import (
    Known,
    check,
    check_groups,
    check_revision,
    check_rules,
)
from jupyter_gpuquota.errors import InUse, InvalidFields, Outdated
from jupyter_gpuquota.model.projects import (
    AffinityRequest,
    Groups,
    GroupsRequest,
    NodeGroup,
    NodeGroupRequest,
    ProjectRequest,
    RulesRequest,
    request_of,
)
from jupyter_gpuquota.model.quota import Affinity
from tests.builders import (
    make_node,
    make_project,
    make_session,
)

_PLAIN = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3}0{0,9})?")
KNOWN = Known(nodes=[make_node()], groups=Groups(items=(NodeGroup(name="big", nodes=("n1",)),)))


def ask(**fields):
    return check(ProjectRequest(**{"name": "team-a", "quota": "4", **fields}), KNOWN)


def wrong(**fields) -> set[str]:
    with pytest.raises(InvalidFields) as caught:
        ask(**fields)
    assert all(field.message for field in caught.value.fields)
    return {field.field for field in caught.value.fields}


def test_a_request_becomes_a_project():
    found = ask(
        quota=2.5,
        weight=1,
        limit="8",
        members=("ana", "ben", "group:ml"),
        leads=("cho",),
        viewers=("group:finance",),
        node_affinity=AffinityRequest(train=("big",)),
        interactive_duration="1h30m",
        min_runtime=60,
        revision="7",
    )
    assert (found.quota, found.weight, found.limit, found.revision) == (2500, 1000, 8000, "7")
    assert (found.interactive_duration, found.min_runtime) == (5400, 60)
    assert found.node_affinity == Affinity(train=("big",))
    assert found.members == ("ana", "ben", "group:ml")
    assert (found.leads, found.viewers) == (("cho",), ("group:finance",))
    assert check(request_of(found), KNOWN) == found


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"quota": "-1"}, {"quota"}),
        ({"quota": "nan"}, {"quota"}),
        ({"quota": float("nan")}, {"quota"}),
        ({"quota": float("inf")}, {"quota"}),
        ({"quota": "0.0001"}, {"quota"}),
        ({"quota": ""}, {"quota"}),
        ({"quota": "½"}, {"quota"}),
        ({"weight": "-1", "limit": "-2"}, {"weight", "limit"}),
        ({"members": ("ana", "ben", "ana")}, {"members[2]"}),
        ({"members": ("ana", " ")}, {"members[1]"}),
        ({"leads": ("ana", "ana"), "viewers": ("",)}, {"leads[1]", "viewers[0]"}),
        ({"members": ("group:",), "leads": ("group: ",)}, {"members[0]", "leads[0]"}),
        ({"name": "Team A"}, {"name"}),
        ({"name": "a" * 64}, {"name"}),
        ({"name": "../etc"}, {"name"}),
        ({"name": ""}, {"name"}),
        ({"priority": -1}, {"priority"}),
        ({"priority": 1001}, {"priority"}),
        ({"node_affinity": AffinityRequest(train=("gone",))}, {"node_affinity.train[0]"}),
        (
            {"node_affinity": AffinityRequest(interactive=("big", "big"))},
            {"node_affinity.interactive[1]"},
        ),
        ({"interactive_duration": "soon"}, {"interactive_duration"}),
        ({"interactive_duration": "-8h"}, {"interactive_duration"}),
        ({"min_runtime": "400d"}, {"min_runtime"}),
        ({"quota": "x", "name": "X", "priority": 2000}, {"quota", "name", "priority"}),
    ],
)
def test_every_mistake_is_named_at_once(fields, named):
    assert wrong(**fields) == named


def test_priorities_are_from_0_to_1000():
    assert [ask(priority=each).priority for each in (0, 1000)] == [0, 1000]


@given(st.one_of(st.text(), st.floats(), st.integers(), st.decimals().map(str)))
@example("1e3")
@example("٤")
@example(" 4 ")
@example("9" * 400)
def test_a_free_form_quota_is_read_exactly_or_refused(quota):
    written = str(quota).strip()
    if _PLAIN.fullmatch(written):
        assert Decimal(ask(quota=quota).quota) == Decimal(written) * 1000
    else:
        assert wrong(quota=quota) == {"quota"}


def test_rules_are_read_like_durations():
    found = check_rules(RulesRequest(grace="2m", min_runtime="1h", consolidate=True, revision="3"))
    assert (found.grace, found.min_runtime, found.consolidate, found.revision) == (
        120,
        3600,
        True,
        "3",
    )
    with pytest.raises(InvalidFields) as caught:
        check_rules(RulesRequest(grace="x", min_runtime="-1"))
    assert {f.field for f in caught.value.fields} == {"grace", "min_runtime"}


def test_groups_name_nodes_that_there_are_and_projects_keep_theirs():
    bound = make_project("team-a", node_affinity=Affinity(train=("big",)))
    asked = GroupsRequest(
        groups=(
            NodeGroupRequest(name="g", nodes=("n1", "n9")),
            NodeGroupRequest(name="g"),
            NodeGroupRequest(name="X"),
        )
    )
    with pytest.raises(InvalidFields) as caught:
        check_groups(asked, [make_node()], [bound])
    named = [f.field for f in caught.value.fields]
    assert named == ["groups[1]", "groups[0].nodes[1]", "groups[2].name", "groups"]


def test_a_change_made_from_something_older_is_refused():
    check_revision("x", "3", "3")
    check_revision("x", "", "")
    for present, asked, said in (("3", "2", "changed"), ("3", "", "added"), ("", "3", "deleted")):
        with pytest.raises(Outdated) as caught:
            check_revision("x", present, asked)
        assert caught.value.message == f"x was {said}. Your change was not saved."
        with pytest.raises(Outdated) as caught:
            check_revision("x", present, asked, "ana did it")
        assert caught.value.message == "ana did it. Your change was not saved."
        assert caught.value.hint


def test_members_bind_everyone_but_admins():
    projects = [
        make_project("a", members=("ana",)),
        make_project("b"),
        make_project("c", draining=True),
    ]

    def names(who: str, *, admin: bool = False) -> list[str]:
        rights = rights_of(Caller(who), projects, admin=admin)
        return [p.name for p in members.launchable(projects, rights)]

    assert names("ana") == ["a", "b"]
    assert names("ben") == ["b"]
    assert names("ben", admin=True) == ["a", "b"]


def test_a_project_with_sessions_stays():
    sessions = [make_session("w"), make_session("d", state="done"), make_session("x", project="b")]
    with pytest.raises(InUse, match="has sessions: w"):
        members.check_deletable("team-a", sessions)
    members.check_deletable("team-c", sessions)
    many = [make_session(f"s{i}") for i in range(9)]
    with pytest.raises(InUse, match="and 4 more"):
        members.check_deletable("team-a", many)


@pytest.mark.parametrize(
    ("projects", "said"),
    [
        ([make_project(quota="9")], "add up to 9 GPUs, but only 8 exist"),
        (
            [make_project(quota="0"), make_project("b", "4", weight="0")],
            "All weights are 0: no project borrows",
        ),
        ([make_project(limit="3")], "limit of team-a"),
        ([make_project(), make_project("b")], ""),
    ],
)
def test_what_is_hardly_meant_is_allowed_and_said(projects, said):
    found = members.warnings(projects, [make_node()])
    assert [said in text for text in found] == ([True] if said else [])
