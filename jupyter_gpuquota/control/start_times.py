"""When queued sessions should start, played ahead whenever the board has changed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from ..core.forecast import waiting
from ..model.sessions import Session
from .board import Board, snapshot_of

_log = logging.getLogger(__name__)

_PAUSE = 0.5
"""The least time between two plays, in seconds."""
_REST = 20
"""How many times as long as a play the pause after it is: playing takes 5 % of a processor."""


class StartTimes:
    """Keeps the board's expected start times current, in threads of their own.

    With thousands of sessions a play takes noticeable time. It holds up neither requests nor the
    worker, and what it found last is shown meanwhile.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._changed = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin."""
        self._running = asyncio.create_task(self._run())

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note that sessions may have changed."""
        self._changed.set()

    async def close(self) -> None:
        """Stop."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None

    async def _run(self) -> None:
        board, played = self._board, 0
        while True:
            await self._changed.wait()
            self._changed.clear()
            if board.latest == played:
                continue
            played, began = board.latest, time.monotonic()
            try:
                snapshot = snapshot_of(board, datetime.now(UTC))
                board.starts.show(await asyncio.to_thread(waiting.starts, snapshot))
            except Exception:  # noqa: BLE001 (a bug must not end it for all sessions)
                _log.exception("playing ahead when queued sessions start failed")
            await asyncio.sleep(max(_PAUSE, _REST * (time.monotonic() - began)))
