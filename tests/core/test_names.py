"""A name finds the session that is meant, or says which it could be."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from jupyter_gpuquota.core.names import find_session, not_found
from jupyter_gpuquota.errors import Ambiguous, NotFound
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session


def session(session_id: str, project: str, name: str, owner: str = "ana") -> Session:
    made = make_session(name, project=project)
    return msgspec.structs.replace(made, id=session_id, owner=owner)


SESSIONS = (
    session("s1", "team-a", "exp-1"),
    session("s2", "team-b", "exp-1", owner="ben"),
    session("s3", "team-b", "s1"),
    session("s4", "team-b", "train"),
)


@pytest.mark.parametrize(
    ("name", "owner", "found"),
    [
        ("s2", "", "s2"),
        ("s1", "", "s1"),  # an id comes before a name that looks like it
        ("team-b/s1", "", "s3"),
        ("train", "", "s4"),
        ("team-b/exp-1", "ana", "s2"),
        ("team-b~exp-1", "", "s2"),
        ("exp-1", "ana", "s1"),
        ("exp-1", "ben", "s2"),
    ],
)
def test_an_id_a_name_or_a_name_in_a_project(name: str, owner: str, found: str) -> None:
    assert find_session(name, SESSIONS, owner).id == found


@pytest.mark.parametrize("owner", ["", "cem"])
def test_several_sessions_with_a_name_are_all_named(owner: str) -> None:
    with pytest.raises(Ambiguous) as caught:
        find_session("exp-1", SESSIONS, owner)
    assert caught.value.message == "2 sessions are named exp-1: team-a/exp-1, team-b/exp-1."
    assert caught.value.hint == "Add the project, as in this list."


@pytest.mark.parametrize(
    ("name", "sessions", "message", "hint"),
    [
        ("exp1", SESSIONS, "Session 'exp1' not found.", "Did you mean exp-1?"),
        ("team-a~train", SESSIONS, "Session 'team-a/train' not found.", "Did you mean train?"),
        ("zzz", SESSIONS, "Session 'zzz' not found.", "Sessions: exp-1, s1, train."),
        ("", SESSIONS, "Session '' not found.", "Sessions: exp-1, s1, train."),
        ("team-a/", SESSIONS, "Session 'team-a/' not found.", "Sessions: exp-1, s1, train."),
        ("exp-1", (), "Session 'exp-1' not found.", "No sessions yet."),
    ],
)
def test_an_unknown_name_gets_a_hint(
    name: str, sessions: Sequence[Session], message: str, hint: str
) -> None:
    with pytest.raises(NotFound) as caught:
        find_session(name, sessions)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_hint_lists_ten_names_at_most() -> None:
    hint = not_found("zzz", [make_session(f"a{n:02}") for n in range(12)]).hint
    assert hint.endswith("a08, a09, ….")
