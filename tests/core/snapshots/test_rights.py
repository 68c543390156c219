"""What callers may do with snapshots, and which one a reference names."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.snapshots import rights
from jupyter_gpuquota.errors import Ambiguous, NotFound
from jupyter_gpuquota.model.snapshots.snapshots import SNAPSHOT_ACTIONS, Snapshot
from tests.builders import NOW

ANA = Rights(Caller("ana"), roles={"team-a": "member"})
IDS = ("aaaa1", "aaaa2", "bbbb3")
SNAPSHOTS = [
    Snapshot(id=name, project="team-a", owner="ana", created=NOW + timedelta(seconds=at))
    for at, name in enumerate(IDS)
]
HIDDEN = Snapshot(id="bbbb4", project="team-a", owner="bo", created=NOW)


def find(ref: str) -> str:
    return rights.find(ref, [*SNAPSHOTS, HIDDEN], ANA).id


class TestReferences:
    def test_a_beginning_names_the_only_one_that_the_caller_sees(self) -> None:
        assert find("bbbb") == "bbbb3"

    @pytest.mark.parametrize("digits", ["bbbb", "bbbb3"])
    def test_an_id_or_its_beginning_may_be_written_as_a_digest(self, digits: str) -> None:
        assert find(f"sha256:{digits}") == "bbbb3"
        with pytest.raises(Ambiguous):
            find("sha256:aaaa")

    def test_several_are_listed(self) -> None:
        with pytest.raises(Ambiguous, match="aaaa1") as caught:
            find("aaaa")
        assert "aaaa2" in str(caught.value)

    def test_too_short_a_beginning_says_so_and_what_begins_so(self) -> None:
        with pytest.raises(NotFound, match="'bbb' is too short") as caught:
            find("bbb")
        assert caught.value.hint == "Write at least 4 digits of one of these: bbbb3."

    @pytest.mark.parametrize("ref", ["c", "bbbb4", "sha256:bbbb4", "sha256:"])
    def test_others_are_not_found(self, ref: str) -> None:
        with pytest.raises(NotFound, match="not found"):
            find(ref)


def test_a_session_names_its_newest_snapshot_unless_a_tag_does() -> None:
    of_one = [replace(each, name="exp1", session="s1") for each in SNAPSHOTS]
    assert rights.find("exp1", of_one, ANA).id == "bbbb3"
    tagged = replace(of_one[0], tags=("exp1",))
    assert rights.find("exp1", [*of_one[1:], tagged], ANA).id == "aaaa1"
    with pytest.raises(NotFound):
        rights.find("exp1", [replace(each, owner="bo") for each in of_one], ANA)


OWN = Snapshot(id="cccc1", project="team-a", owner="ana", session="s1", created=NOW, name="exp1")


@pytest.mark.parametrize(
    ("caller", "admin", "actions"),
    [
        (Caller("ana"), False, SNAPSHOT_ACTIONS),
        (Caller("ana"), True, SNAPSHOT_ACTIONS),
        (Caller("bo"), False, ()),
        (Caller("bo"), True, ("remove",)),
        (Caller("ana", session="s1"), False, ("see",)),
        (Caller("ana", session="s2"), False, ()),
        (Caller("ana", inside="s2"), False, SNAPSHOT_ACTIONS),
    ],
)
def test_who_may_do_what(caller: Caller, admin: bool, actions: tuple[str, ...]) -> None:  # noqa: FBT001 (a row of the table)
    known = Rights(caller, admin=admin, roles={"team-a": "member"})
    assert rights.granted(OWN, known) == actions
    shown = [(each.actions, each.name) for each in rights.seen([OWN], known)]
    assert shown == ([(actions, "exp1" if "see" in actions else "")] if actions else [])
