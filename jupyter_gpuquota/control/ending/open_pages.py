"""The open browser pages of sessions, by their own reports; in memory only."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from ...core.ending import Pages
from ...model.ending import PageReport
from ...model.sessions import Session

ROUND = 75.0
"""Seconds within which every open page reports: browsers throttle timers of hidden pages."""

_SILENT = 2 * ROUND
"""Seconds without a report after which a page counts as gone, with its browser or computer."""

_MOST = 64
"""Maximum number of open pages that are tracked per session."""

_MOST_CLOSED = 1024
"""Maximum number of closed pages that are remembered per session."""


class Uses(Protocol):
    """The observed use of sessions through the ingress."""

    def used(self, session_id: str) -> bool:
        """Return whether use of a session was observed."""

    def last_save(self, session_id: str) -> datetime | None:
        """Return when a document of a session was last saved, None if never observed."""


@dataclass(slots=True)
class _Run:
    """The pages of one run of a session: the newest report of each, and when it arrived.

    Reports of `closed` pages are ignored: they were sent before the page closed, and arrive late.
    """

    number: int
    reports: dict[str, tuple[PageReport, float]] = field(default_factory=dict)
    closed: dict[str, None] = field(default_factory=dict)
    heard: bool = False
    lost: bool = False


class OpenPages:
    """The reports of open pages. Every method runs in the worker thread."""

    def __init__(self, uses: Uses | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._uses = uses
        self._clock = clock
        self._began, self._began_at = clock(), datetime.now(UTC)
        self._runs: dict[str, _Run] = {}

    def put(self, session: Session, page: str, report: PageReport) -> None:
        """Record a page's report."""
        run = self._run(session)
        run.heard = True
        if report.state == "closed":
            run.reports.pop(page, None)
            run.closed[page] = None
            if len(run.closed) > _MOST_CLOSED:
                del run.closed[next(iter(run.closed))]
        elif page not in run.closed and (page in run.reports or len(run.reports) < _MOST):
            run.reports[page] = (report, self._clock())

    def known(self, session: Session) -> Pages:
        """Return the known pages of a session."""
        run, now = self._run(session), self._clock()
        silent = [page for page, (_, at) in run.reports.items() if now - at > _SILENT]
        for page in silent:
            del run.reports[page]
            run.lost = True
        uses = self._uses
        seen = uses.used(session.id) if uses else False
        return Pages(
            reports=[report for report, _ in run.reports.values()],
            complete=self._has_seen_all(session, now),
            used=run.lost or (seen and not run.heard),
            last_save=uses.last_save(session.id) if uses else None,
        )

    def keep_only(self, sessions: Callable[[str], bool]) -> None:
        """Forget the pages of all other sessions."""
        self._runs = {key: run for key, run in self._runs.items() if sessions(key)}

    def _run(self, session: Session) -> _Run:
        run = self._runs.get(session.id)
        if run is None or run.number != session.run:
            run = self._runs[session.id] = _Run(session.run)
        return run

    def _has_seen_all(self, session: Session, now: float) -> bool:
        """Return whether every open page has had time to report to this controller."""
        began_before = session.started is not None and session.started < self._began_at
        return not began_before or now - self._began > ROUND
