"""Supervise live sessions; end them only after their open pages had time to save.

Every way to stop a session leads here. It runs in the worker thread.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ...core import ending
from ...model.ending import PageReport
from ...model.sessions import LIVE, Session
from ..board import Board
from ..runtime import Runner, SessionStore
from .open_pages import OpenPages


class SessionSupervisor:
    """Supervises live sessions; the runner stops them only after their pages have saved.

    `save` is the time for pages to save, in seconds.
    """

    def __init__(
        self, board: Board, store: SessionStore, runner: Runner, pages: OpenPages, save: float
    ) -> None:
        self._board = board
        self._store = store
        self._runner = runner
        self._pages = pages
        self._save = timedelta(seconds=save)

    def supervise(self, session: Session) -> None:
        """Observe a live session, and do what its state requires."""
        grace = timedelta(seconds=self._board.settings.rules.grace)
        known, now = self._pages.known(session), datetime.now(UTC)
        after = ending.advance(session, known, self._save, grace, now)
        if after != session:
            self._store.settle(after)
            after = self._board.find(session.id)
        if not after.is_saving:
            self._runner.observe(after)

    def put_page(self, session: Session, page: str, report: PageReport) -> None:
        """Record a page's report; if the session waits for its pages, proceed at once."""
        if session.state not in LIVE:
            return
        self._pages.put(session, page, report)
        if session.is_saving:
            self.supervise(session)

    def forget_pages(self) -> None:
        """Forget the pages of ended sessions."""
        known = self._board.by_id
        self._pages.keep_only(lambda key: key in known and known[key].state in LIVE)
