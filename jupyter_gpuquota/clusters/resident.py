"""The clusters of a controller from start to end."""

from __future__ import annotations

import asyncio

from ..control.board import Board
from .members import Members
from .mover import Mover

_MOMENT = 2.0
"""Seconds that the start waits at most for other clusters: most are there at once."""


class UnitedResident:
    """Starts the first cluster at once, and the others whenever they can be reached."""

    def __init__(self, members: Members, own: Board, mover: Mover) -> None:
        self._members = members
        self._own = own
        self._mover = mover
        self._starting: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the first cluster, and begin to start the others. Raises as the first one."""
        await self._members.first.start()
        self._starting = [
            asyncio.create_task(member.keep_trying(self._changed))
            for member in self._members.others
        ]
        await self._mover.start()
        await asyncio.wait(self._starting, timeout=_MOMENT)

    async def close(self) -> None:
        """Release all resources; sessions keep running."""
        await self._mover.close()
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        self._starting = []
        for member in (*self._members.others, self._members.first):
            await member.close()

    def idle(self) -> bool:
        """Return whether no session of a cluster that can be used needs the controller."""
        idle = all(backend.resident.idle() for backend in self._members.usable())
        return idle and self._mover.is_idle

    def ended(self) -> str:
        """Return why the controller has to exit, empty while it may go on."""
        ends = (backend.resident.ended() for backend in self._members.usable())
        return next(filter(None, ends), "")

    def _changed(self) -> None:
        """Let all screens read again: what belongs to a cluster comes and goes with it."""
        for noun in ("sessions", "quota", "nodes", "volumes"):
            self._own.touch(noun)
