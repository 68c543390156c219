"""Look, in the event loop, at what is done with the sessions, from time to time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from ..core.idleness import Reading
from ..core.policy import Limits
from ..model.sessions import Session

_log = logging.getLogger(__name__)

Seen = Mapping[str, Sequence[Reading]]
Ask = Callable[[], Awaitable[tuple[Sequence[Session], Mapping[str, Limits]]]]
Tell = Callable[[Seen], Awaitable[None]]


class Senses(Protocol):
    """Read the signals of sessions."""

    async def read(self, sessions: Sequence[Session], limits: Mapping[str, Limits]) -> Seen:
        """Map each session to what is seen of it; what cannot be read is `unknown`."""

    async def close(self) -> None:
        """Let go of everything."""


class Looker:
    """Every `pause` seconds `ask` what to look at, look by `senses`, and `tell` what was seen."""

    def __init__(self, senses: Senses, ask: Ask, tell: Tell, pause: float) -> None:
        self._senses = senses
        self._ask = ask
        self._tell = tell
        self._pause = pause
        self._running: asyncio.Task[None] | None = None
        self.trouble = ""

    def start(self) -> None:
        """Begin to look."""
        self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Look no more."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None
        await self._senses.close()

    async def look(self) -> None:
        """Look once."""
        await self._tell(await self._see())

    async def _see(self) -> Seen:
        sessions, limits = await self._ask()
        return await self._senses.read(sessions, limits) if sessions else {}

    async def _run(self) -> None:
        # What is counted from look to look, as CPU, begins here: else the first look after a
        # restart could not tell whether who was idle still is.
        await self._attempt(self._see)
        while True:
            await asyncio.sleep(self._pause)
            await self._attempt(self.look)

    async def _attempt(self, what: Callable[[], Awaitable[object]]) -> None:
        try:
            await what()
            self.trouble = ""
        except Exception as error:  # noqa: BLE001 (a fault of ours must not end the care for all)
            _log.exception("looking at the sessions' activity failed")
            self.trouble = f"Looking for idle sessions fails: {error}. See the log."
