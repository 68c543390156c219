"""The capability `policing`: the idle policy over the monitor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from ..core.idle.policy import Ruling
from ..core.idle.replay import Stretch
from ..model.idleness import Activity
from ..model.policy import Policy
from ..model.sessions import Session
from .board import Board
from .capabilities import Work
from .idle.monitor import IdleMonitor
from .recorder import Recorder

KeepAlive = Callable[[str, int], Awaitable[Session]]
"""Keeps a session alive for a number of seconds."""


class IdlePolicing:
    """The idle policy, enforced by a monitor that is used through `work`."""

    def __init__(
        self,
        board: Board,
        recorder: Recorder,
        monitor: IdleMonitor,
        work: Work,
        keep_alive: KeepAlive,
    ) -> None:
        self._board = board
        self._recorder = recorder
        self._monitor = monitor
        self._work = work
        self._keep_alive = keep_alive

    @property
    def interval(self) -> int:
        """Seconds between two activity checks of a session."""
        return self._monitor.interval

    def policy(self) -> Policy:
        """Return the policy as it is set."""
        return self._board.settings.policy

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy means for a session now. Raises NotFound."""
        ruling: Ruling = await self._work(self._monitor.ruling, self._board.find(session_id))
        return ruling

    async def activity(self, session_id: str) -> Activity:
        """Return a session's observed activity. Raises NotFound, WrongState."""
        found: Activity = await self._work(self._monitor.activity, self._board.find(session_id))
        return found

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return the recorded activity of all sessions. Raises StorageFailed."""
        return await self._recorder.activity(since)

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        return await self._keep_alive(session_id, span)
