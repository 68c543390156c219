"""Asking the open pages of a session to save their documents before a snapshot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from ...model.ending import PageReport
from ..ending.open_pages import ROUND

_SILENT = 2 * ROUND


class SavingPages:
    """The open pages of sessions, by their own reports. `changed` lets pages look again."""

    def __init__(self, patience: float, changed: Callable[[], None]) -> None:
        self._patience = patience
        self._changed = changed
        self._pages: dict[str, dict[str, tuple[PageReport, float]]] = {}
        self._by: dict[str, datetime] = {}
        self._answered: dict[str, asyncio.Event] = {}

    def saving(self) -> Mapping[str, datetime]:
        """Return until when the pages of which sessions shall save."""
        return dict(self._by)

    def put(self, session: str, page: str, report: PageReport) -> None:
        """Note a report."""
        pages = self._pages.setdefault(session, {})
        if report.state == "closed":
            pages.pop(page, None)
        else:
            pages[page] = (report, time.monotonic())
        if session in self._answered and not self._waiting(session):
            self._answered[session].set()

    async def save(self, session: str) -> str:
        """Let all open pages save; return what could not be saved, empty if nothing."""
        if not self._open(session):
            return ""
        for page, (_, at) in self._open(session).items():
            self._pages[session][page] = (PageReport(state="open"), at)
        answered = self._answered[session] = asyncio.Event()
        self._by[session] = datetime.now(UTC) + timedelta(seconds=self._patience)
        self._changed()
        try:
            async with asyncio.timeout(self._patience):
                await answered.wait()
        except TimeoutError:
            return "An open page did not answer: its documents may not be saved."
        finally:
            del self._by[session], self._answered[session]
            self._changed()
        unsaved = sum(report.unsaved for report, _ in self._open(session).values())
        return f"{unsaved} open documents could not be saved." if unsaved else ""

    def keep_only(self, sessions: set[str]) -> None:
        """Forget the pages of all other sessions."""
        self._pages = {key: pages for key, pages in self._pages.items() if key in sessions}

    def _open(self, session: str) -> dict[str, tuple[PageReport, float]]:
        now = time.monotonic()
        pages = self._pages.get(session, {})
        return {page: each for page, each in pages.items() if now - each[1] <= _SILENT}

    def _waiting(self, session: str) -> bool:
        return any(report.state == "open" for report, _ in self._open(session).values())
