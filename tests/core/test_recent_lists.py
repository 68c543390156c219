"""What has changed in the list of sessions since it was read."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from jupyter_gpuquota.core.lists.recent import Listed, RecentLists, differing
from tests.builders import NOW, make_session

SESSIONS = tuple(replace(make_session(name), id=name) for name in ("one", "two", "three"))
ONE, TWO, THREE = SESSIONS
SOON = NOW + timedelta(minutes=5)


def changed(before: Listed, now: Listed) -> tuple[list[str], list[str]]:
    """Return the ids of what was, and of what is instead."""
    found = differing(before, now)
    return [each.id for each in found.before], [each.id for each in found.now]


def test_the_same_objects_are_unchanged():
    assert changed(Listed(SESSIONS), Listed(SESSIONS)) == ([], [])


def test_changed_new_and_gone_sessions_differ():
    before = Listed((ONE, TWO))
    assert changed(before, Listed((replace(ONE, run=1), TWO))) == (["one"], ["one"])
    assert changed(before, Listed((ONE, TWO, THREE))) == ([], ["three"])
    assert changed(before, Listed((TWO,))) == (["one"], [])


def test_a_session_differs_whose_expected_start_has_come_moved_or_gone():
    none, soon = Listed(SESSIONS), Listed(SESSIONS, starts={"two": SOON})
    later = Listed(SESSIONS, starts={"two": SOON + timedelta(minutes=1)})
    both = (["two"], ["two"])
    assert changed(none, soon) == changed(soon, later) == changed(later, none) == both


def test_a_session_differs_whose_pages_begin_or_end_to_save():
    none, saving = Listed(SESSIONS), Listed(SESSIONS, saving={"one": SOON})
    assert changed(none, saving) == changed(saving, none) == (["one"], ["one"])


def test_the_first_list_of_a_revision_is_the_one_to_compare_with():
    lists = RecentLists()
    lists.note("1", Listed((ONE,)))
    lists.note("1", Listed((ONE, TWO)))
    assert lists.at("1") == Listed((ONE,))
    assert lists.at("2") is None


def test_few_revisions_are_remembered():
    lists = RecentLists()
    for revision in range(100):
        lists.note(str(revision), Listed())
    assert lists.at("0") is None
    assert lists.at("99") == Listed()
