"""Read, in the event loop, what is done with the sessions, from time to time."""

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


class ActivitySource(Protocol):
    """What reads the signals of sessions."""

    async def read(self, sessions: Sequence[Session], limits: Mapping[str, Limits]) -> Seen:
        """Return what is seen of each session; what cannot be read is `unknown`."""

    async def close(self) -> None:
        """Let go of everything."""


class ActivityPoller:
    """What asks the source about the sessions every `pause` seconds.

    `trouble` says what went wrong last, empty for nothing.
    """

    def __init__(self, source: ActivitySource, pause: float) -> None:
        self._source = source
        self._pause = pause
        self._running: asyncio.Task[None] | None = None
        self.trouble = ""

    def start(self, ask: Ask, tell: Tell) -> None:
        """Begin: `ask` returns what to look at, `tell` takes what was seen."""
        self._ask, self._tell = ask, tell
        self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop, and let go of the source."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None
        await self._source.close()

    async def look(self) -> None:
        """Look once."""
        await self._tell(await self._see())

    async def _see(self) -> Seen:
        sessions, limits = await self._ask()
        return await self._source.read(sessions, limits) if sessions else {}

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
