"""When the processes of a session are signalled, by what its open pages report; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from ..model.ending import Ending, PageReport, Saved
from ..model.messages.build import message
from ..model.messages.formats import time_arg
from ..model.reasons import Reason
from ..model.sessions import Session
from ..model.struct import Message


@dataclass(frozen=True, slots=True)
class Pages:
    """What is known of a session's pages.

    `reports` has the newest report of each open page. `complete`: there is no other page. `used`:
    the session was open in something that no page has reported, or in a page that no longer
    reports.
    """

    reports: Sequence[PageReport] = ()
    complete: bool = True
    used: bool = False
    last_save: datetime | None = None


def advance(
    session: Session, pages: Pages, save: timedelta, grace: timedelta, now: datetime
) -> Session:
    """Return a stopping session with the progress of its pages; others unchanged.

    Pages have the time `save` to answer. Where GPUs are reclaimed, they have all of the `grace`,
    unless their user releases the GPUs earlier.
    """
    if session.state != "stopping" or not session.spec.serves_jupyter or session.started is None:
        return session
    waits = session.ending is None and (pages.reports or not pages.complete)
    before = session.ending or Ending(by=now + max(save, grace) if waits else now)
    if before.signalled:
        return session
    counts_down = _is_reclaimed(session) and grace > save
    counts_down &= not any(report.give_back for report in pages.reports)
    # The reason to end may have changed meanwhile, and so may the clock.
    by = min(before.by, now + (grace if counts_down else save))
    after = replace(
        before,
        by=by,
        last_save=max(filter(None, (before.last_save, pages.last_save)), default=None),
        **_answers(pages.reports),
    )
    is_over = not pages.reports or (after.saved == "saved" and not counts_down)
    if now >= by or (pages.complete and is_over):
        after = replace(after, signalled=now, saved=_final(after, pages))
    return replace(session, ending=after)


def served(session: Session) -> bool:
    """Return whether a session is served: until its processes are signalled."""
    ending = session.ending
    is_ending = session.state == "stopping" and session.started is not None
    return session.state == "running" or (is_ending and not (ending and ending.signalled))


def grace_left(session: Session, grace: float, least: float) -> float:
    """Return the seconds of a grace that are left to its processes after its pages."""
    ending = session.ending
    taken = (
        (ending.signalled - session.since).total_seconds() if ending and ending.signalled else 0.0
    )
    return max(min(least, grace), grace - taken)


def concluded(session: Session) -> Reason | None:
    """Return why a session has ended, with what became of documents that were open."""
    reason, sentence = session.reason, _lost(session.ending) if session.ending else None
    return reason.extended(sentence) if reason and sentence else reason


def _is_reclaimed(session: Session) -> bool:
    return session.goal == "requeue" and session.reclaimed is not None


def _answers(reports: Sequence[PageReport]) -> dict[str, Any]:
    """Return the combined answer of the open pages; closed pages keep theirs."""
    states = {report.state for report in reports}
    if not states:
        return {}
    unsaved = sum(report.unsaved for report in reports if report.state == "unsaved")
    saved: Saved = "asked" if "open" in states else "unsaved" if unsaved else "saved"
    return {"saved": saved, "unsaved": unsaved}


def _final(ending: Ending, pages: Pages) -> Saved:
    """Return what is known of open documents once no page is waited for."""
    if ending.unsaved:
        return "unsaved"
    if ending.saved == "saved":
        return "saved"
    silent = bool(pages.reports) or not pages.complete
    return "unknown" if silent or pages.used else "closed"


def _lost(ending: Ending) -> Message | None:
    """Return which work may be lost, None where none is."""
    if ending.saved == "unsaved":
        return message("ending.unsaved", documents=ending.unsaved)
    if ending.saved != "unknown":
        return None
    if ending.last_save is None:
        return message("ending.unknown")
    return message("ending.unknown.since", saved=time_arg(ending.last_save))


_LISTED = 10
