"""A name finds the session that the user means, or says which it could be."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.client.sessions import Sessions
from jupyter_gpuquota.errors import Ambiguous, NotFound
from jupyter_gpuquota.model.struct import Page
from tests.builders import make_session
from tests.client.inmemory import Scripted, Surroundings


def test_an_id_comes_first(sessions):
    first = sessions.submit("exp1")
    namesake = sessions.submit(first.id)  # a name may look like an id
    assert sessions.get(first.id).spec.name == "exp1"
    assert sessions.get(namesake.id).spec.name == first.id


def test_a_name_that_is_the_only_one_is_found_in_any_project(sessions):
    sessions.submit("exp1", project="team-b")
    assert sessions.get("exp1").spec.project == "team-b"


def test_of_several_the_one_of_the_preferred_project_is_meant(make):
    sessions = make(project="team-b")
    for project in ("team-a", "team-b"):
        sessions.submit("exp1", project=project)
    assert sessions.get("exp1").spec.project == "team-b"


def test_otherwise_all_are_named(sessions):
    for project in ("team-a", "team-b"):
        sessions.submit("exp1", project=project)
    with pytest.raises(Ambiguous, match="team-a/exp1, team-b/exp1"):
        sessions.get("exp1")


@pytest.mark.parametrize(("name", "project"), [("team-b/exp1", ""), ("exp1", "team-b")])
def test_a_project_decides(sessions, name, project):
    for other in ("team-a", "team-b"):
        sessions.submit("exp1", project=other)
    assert sessions.get(name, project=project).spec.project == "team-b"


def test_a_near_name_is_suggested(sessions):
    sessions.submit("exp-1")
    with pytest.raises(NotFound) as caught:
        sessions.get("exp1")
    assert caught.value.hint == "Did you mean exp-1?"


@pytest.mark.parametrize(
    "odd", ["", "/", "team-a/", "../x", "a b", "x" * 300, "😀", "\x00", "-", "?"]
)
def test_what_is_no_name_finds_nothing(sessions, odd):
    sessions.submit("exp1")
    with pytest.raises(NotFound):
        sessions.get(odd)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("team-b/exp2", "Session 'team-b/exp2' not found."),
        ("team-x/exp1", "Session 'team-x/exp1' not found."),
        ("../exp1", "Session '../exp1' not found."),
        ("../../etc", "Session '../../etc' not found."),
    ],
)
def test_an_unknown_name_is_repeated_as_it_was_written(sessions, said, message):
    sessions.submit("exp1")
    with pytest.raises(NotFound) as caught:
        sessions.get(said)
    assert caught.value.message == message


def test_a_list_of_many_pages_is_one():
    first, second = make_session("exp1"), make_session("exp2")
    answers = [
        Page(items=(first,), total=2, revision="1", next="id-exp1"),
        Page(items=(second,), total=2, revision="2"),
    ]
    transport = Scripted(answers)
    sessions = Sessions(Surroundings(transport)).list(project="team-a", state="waiting")
    assert sessions.document == Page(items=(first, second), total=2, revision="2")
    assert [s.id for s in sessions] == ["id-exp1", "id-exp2"]
    query = "/sessions?project=team-a&state=waiting"
    assert [m.target for m in transport.seen] == [query, f"{query}&cursor=id-exp1"]


def test_a_preferred_project_that_has_none_of_them_does_not_decide(make):
    sessions = make(project="team-c")
    for project in ("team-a", "team-b"):
        sessions.submit("exp1", project=project)
    with pytest.raises(Ambiguous):
        sessions.get("exp1")
