"""Poll the activity of sessions, in the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from ...core.idle.decide import Reading
from ...core.idle.policy import Limits
from ...model.sessions import Session

_log = logging.getLogger(__name__)

Readings = Mapping[str, Sequence[Reading]]
Watched = Callable[[], Awaitable[tuple[Sequence[Session], Mapping[str, Limits]]]]
Record = Callable[[Readings], Awaitable[None]]


class ActivitySource(Protocol):
    """Reads the activity signals of sessions."""

    async def read(self, sessions: Sequence[Session], limits: Mapping[str, Limits]) -> Readings:
        """Return the signals of each session; unreadable ones are `unknown`."""

    async def close(self) -> None:
        """Release all resources."""


class ActivityPoller:
    """Reads the signals of sessions every `pause` seconds.

    `trouble` is the last error, empty if there was none.
    """

    def __init__(self, source: ActivitySource, pause: float) -> None:
        self._source = source
        self._pause = pause
        self._running: asyncio.Task[None] | None = None
        self.trouble = ""

    def start(self, watched: Watched, record: Record) -> None:
        """Start polling: `watched` returns the sessions to read, `record` takes the readings."""
        self._watched, self._record = watched, record
        self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop, and close the source."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
            self._running = None
        await self._source.close()

    async def poll(self) -> None:
        """Poll once."""
        await self._record(await self._read())

    async def _read(self) -> Readings:
        sessions, limits = await self._watched()
        return await self._source.read(sessions, limits) if sessions else {}

    async def _run(self) -> None:
        # Signals that compare two readings, such as CPU, need a first one: else the first poll
        # after a restart could not tell whether an idle session is still idle.
        await self._attempt(self._read)
        while True:
            await asyncio.sleep(self._pause)
            await self._attempt(self.poll)

    async def _attempt(self, what: Callable[[], Awaitable[object]]) -> None:
        try:
            await what()
            self.trouble = ""
        except Exception as error:  # noqa: BLE001 (a bug must not end polling for all sessions)
            _log.exception("polling the sessions' activity failed")
            self.trouble = f"Activity cannot be checked: {error}. See the controller's log."
