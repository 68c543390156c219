"""Sessions whose workloads have gone, though nobody deleted them here."""

from __future__ import annotations

import logging

from ...control.board import Board
from ...model.sessions import Session

_log = logging.getLogger(__name__)

_LIVE = ("waiting", "starting", "running", "stopping")
_MOST = 10
"""Most lost sessions that are named, the newest ones."""


class LostSessions:
    """The live sessions that were lost, as warnings."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._texts: dict[str, str] = {}

    def add(self, session: Session) -> None:
        """Warn of a session that is gone, if it was live."""
        if session.state not in _LIVE:
            return
        text = (
            f"{session.spec.name} of {session.spec.project} is gone: it was deleted in the "
            "cluster, or its namespace was, or it may no longer be read."
        )
        _log.warning("%s: %s", session.id, text)
        self._texts[session.id] = text
        if len(self._texts) > _MOST:
            del self._texts[next(iter(self._texts))]
        self._warn()

    def found(self, session: Session) -> None:
        """Withdraw the warning of a session that is there again."""
        if self._texts.pop(session.id, ""):
            self._warn()

    def _warn(self) -> None:
        self._board.warn("lost", self._texts.values())
