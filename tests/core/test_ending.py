"""Processes are ended after their pages have saved, or when the time is over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core import lifecycle
from jupyter_gpuquota.core.ending import Pages, advance, grace_left, served
from jupyter_gpuquota.model.ending import Ending, PageReport
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Reclaim, Session
from tests.builders import NOW, make_session

SAVE, GRACE = timedelta(seconds=10), timedelta(seconds=60)
OPEN, SAVED = PageReport(state="open"), PageReport(state="saved")
UNSAVED = PageReport(state="unsaved", unsaved=2)
TAKEN = Reclaim(at=NOW, session="id-mine", name="mine", project="team-d")


def running(**fields: object) -> Session:
    return replace(make_session("exp-1", "0.5", "running", **fields), started=NOW)


def suspended() -> Session:
    return lifecycle.request_end(running(), "suspend", NOW)


def reclaimed() -> Session:
    reason = Reason(code="Reclaimed", message="Its GPUs were taken back.")
    return lifecycle.request_requeue(running(kind="interactive-spot"), TAKEN, reason)


def after(session: Session, seconds: float, *reports: PageReport, **known: object) -> Session:
    """Return a session so many seconds after it began to stop."""
    now = NOW + timedelta(seconds=seconds)
    return advance(session, Pages(reports, **known), SAVE, GRACE, now)


def told(session: Session) -> tuple[float | None, str]:
    """Return the seconds until the processes were ended, and what was saved."""
    ending = session.ending
    assert ending
    return (ending.signalled - NOW).total_seconds() if ending.signalled else None, ending.saved


def test_a_session_without_open_pages_ends_at_once() -> None:
    assert told(after(suspended(), 0)) == (0, "closed")
    assert told(after(reclaimed(), 0)) == (0, "closed")


@pytest.mark.parametrize(
    "session",
    [
        running(),
        lifecycle.request_end(running(command=("sleep", "9")), "stop", NOW),
        lifecycle.move(make_session("exp-1", "0.5", "starting"), "stopping", NOW),
    ],
    ids=["running", "command", "never-ran"],
)
def test_what_has_no_pages_to_save_is_left_as_it_is(session: Session) -> None:
    assert after(session, 0, OPEN) == session


def test_pages_save_before_the_end_which_follows_at_once() -> None:
    asked = after(suspended(), 0, OPEN, OPEN)
    assert (told(asked), asked.ending.by) == ((None, "asked"), NOW + SAVE)
    assert asked.is_saving
    half = after(asked, 1, SAVED, OPEN)
    assert told(half) == (None, "asked")
    done = after(half, 2, SAVED, SAVED)
    assert told(done) == (2, "saved")
    assert not done.is_saving
    assert after(done, 3, OPEN) == done


def test_pages_that_do_not_answer_are_not_waited_for_longer_than_that() -> None:
    asked = after(suspended(), 0, OPEN)
    assert told(after(asked, 9.9, OPEN)) == (None, "asked")
    assert told(after(asked, 10, OPEN)) == (10, "unknown")


def test_what_cannot_be_saved_has_the_time_to_be_put_right() -> None:
    asked = after(suspended(), 0, OPEN)
    tried = after(asked, 1, UNSAVED, SAVED)
    assert (told(tried), tried.ending.unsaved) == ((None, "unsaved"), 2)
    assert told(after(tried, 5, SAVED, SAVED)) == (5, "saved")
    assert told(after(tried, 10, UNSAVED, SAVED)) == (10, "unsaved")


def test_who_closes_the_last_page_is_not_waited_for() -> None:
    asked = after(suspended(), 0, OPEN)
    assert told(after(asked, 3)) == (3, "closed")
    tried = after(asked, 1, UNSAVED)
    assert told(after(tried, 3)) == (3, "unsaved")


def test_a_page_that_fell_silent_may_have_had_unsaved_edits() -> None:
    assert told(after(suspended(), 0, used=True)) == (0, "unknown")


def test_a_controller_that_has_just_begun_waits_for_pages_to_report() -> None:
    asked = after(suspended(), 0, complete=False)
    assert told(asked) == (None, "asked")
    assert told(after(asked, 4, SAVED, complete=False)) == (None, "saved")
    assert told(after(asked, 10, SAVED, complete=False)) == (10, "saved")
    assert told(after(asked, 10, complete=False)) == (10, "unknown")
    assert told(after(asked, 5, complete=True)) == (5, "closed")


def test_gpus_that_are_taken_back_leave_pages_the_whole_grace() -> None:
    asked = after(reclaimed(), 0, OPEN)
    assert asked.ending.by == NOW + GRACE
    saved = after(asked, 1, SAVED)
    assert told(saved) == (None, "saved")
    assert told(after(saved, 59, SAVED)) == (None, "saved")
    assert told(after(saved, 60, SAVED)) == (60, "saved")


def test_who_gives_the_gpus_back_is_not_waited_for() -> None:
    saved = after(after(reclaimed(), 0, OPEN), 1, SAVED)
    gives = PageReport(state="saved", give_back=True)
    assert told(after(saved, 20, gives)) == (20, "saved")
    unsure = after(saved, 20, gives, OPEN)
    assert unsure.ending.by == NOW + timedelta(seconds=30)
    assert told(after(unsure, 30, gives, OPEN)) == (30, "unknown")


def test_a_grace_shorter_than_saving_takes_does_not_keep_pages_from_it() -> None:
    now = NOW + timedelta(seconds=1)
    asked = advance(reclaimed(), Pages([OPEN]), SAVE, timedelta(), NOW)
    assert asked.ending.by == NOW + SAVE
    assert told(advance(asked, Pages([SAVED]), SAVE, timedelta(), now)) == (1, "saved")


def test_who_stops_what_gives_way_does_not_wait_for_the_countdown() -> None:
    saved = after(after(reclaimed(), 0, OPEN), 1, SAVED)
    stopped = lifecycle.request_end(saved, "stop", NOW + timedelta(seconds=2))
    assert told(after(stopped, 2, SAVED)) == (2, "saved")


def test_a_clock_that_jumps_back_does_not_prolong_the_wait() -> None:
    asked = after(suspended(), 0, OPEN)
    back = after(asked, -3600, OPEN)
    assert back.ending.by == NOW - timedelta(seconds=3590)


def test_a_session_is_served_until_its_processes_are_told_to_end() -> None:
    stopping = suspended()
    asked = after(stopping, 0, OPEN)
    assert [served(s) for s in (running(), stopping, asked, after(asked, 1, SAVED))] == [
        True,
        True,
        True,
        False,
    ]
    assert not served(make_session(state="stopping"))
    assert not served(make_session(state="suspended"))


def test_the_time_that_pages_took_is_part_of_the_grace() -> None:
    saved = after(after(reclaimed(), 0, OPEN), 1, SAVED)
    assert grace_left(after(saved, 60, SAVED), 60, 10) == 10
    assert grace_left(after(reclaimed(), 0), 60, 10) == 60
    assert grace_left(after(reclaimed(), 0), 5, 10) == 5
    assert grace_left(reclaimed(), 60, 10) == 60


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending(by=NOW, saved="saved"), ""),
        (Ending(by=NOW, saved="closed"), ""),
        (Ending(by=NOW, saved="unsaved", unsaved=1), " 1 open document could not be saved."),
        (Ending(by=NOW, saved="unsaved", unsaved=2), " 2 open documents could not be saved."),
        (
            Ending(by=NOW, saved="unknown"),
            " It is not known whether notebooks had unsaved changes.",
        ),
        (
            Ending(by=NOW, saved="unknown", last_save=NOW),
            " It is not known whether notebooks had unsaved changes after the last save at "
            f"{NOW:%H:%M} UTC.",
        ),
    ],
)
def test_the_reason_names_what_was_not_saved(ending: Ending, words: str) -> None:
    ended = lifecycle.finish_end(replace(suspended(), ending=ending), NOW)
    assert ended.reason.message == f"Suspended on request.{words}"
    assert ended.ending == ending
    again = lifecycle.request_resume(ended, NOW)
    assert again.ending is None


def test_the_last_save_is_kept_where_it_is_forgotten_elsewhere() -> None:
    asked = after(reclaimed(), 0, OPEN, last_save=NOW)
    assert after(asked, 30, OPEN).ending.last_save == NOW


def test_a_new_run_knows_nothing_of_the_last_end() -> None:
    ended = lifecycle.finish_end(after(reclaimed(), 0, used=True), NOW)
    assert (ended.state, ended.ending.saved) == ("waiting", "unknown")
    assert lifecycle.move(ended, "starting", NOW).ending is None
