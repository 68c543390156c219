"""What keeps volumes up to date by itself: news for screens, and how full they are."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from ...model.volumes.volumes import Volume
from ..signals.prometheus import Prometheus
from .sight import Sight
from .used import QUERY, Key, read

_log = logging.getLogger(__name__)

_PAUSE = 0.5
"""Seconds between two looks at what has changed: pods change all the time."""
_LOOK = 5.0
"""Seconds after which they are looked at anyway: queued sessions mount them, too."""
_MEASURE = 60.0
"""Seconds between two questions to the Prometheus."""


class Upkeep:
    """Publishes changes of volumes and asks a Prometheus, if there is one, until `close`.

    `used` has the bytes of each claim that were measured last. `changed` is called after changes,
    `remounted` when a claim is mounted elsewhere, also one that is not listed.
    """

    def __init__(
        self,
        sight: Sight,
        prometheus: Prometheus | None,
        changed: Callable[[], None],
        remounted: Callable[[], None],
    ) -> None:
        self.used: dict[Key, int] = {}
        self._sight = sight
        self._prometheus = prometheus
        self._changed = changed
        self._remounted = remounted
        self._mounted: frozenset[tuple[Key, str]] = frozenset()
        self._shown: tuple[Volume, ...] = ()
        self._moved = asyncio.Event()
        self._end: Callable[[], None] = lambda: None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def problem(self) -> str:
        """Why it is not known how full volumes are, empty if it is or cannot be."""
        return self._prometheus.problem if self._prometheus else ""

    async def start(self) -> None:
        """Begin."""
        self._end = self._sight.subscribe(self.moved)
        self._tasks = [asyncio.create_task(self._publish())]
        if self._prometheus:
            self._tasks.append(asyncio.create_task(self._measure(self._prometheus)))

    async def close(self) -> None:
        """End."""
        self._end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._prometheus:
            self._prometheus.close()

    def moved(self) -> None:
        """Take note that something may have changed."""
        self._moved.set()

    async def _publish(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await self._moved.wait()
            await asyncio.sleep(_PAUSE)
            self._moved.clear()
            try:
                found, mounted = self._sight.all(self.used), self._sight.mounted()
            except Exception:  # noqa: BLE001 (a bug must not end the news for all)
                _log.exception("volumes cannot be read")
                continue
            if found != self._shown:
                self._shown = found
                self._changed()
            if mounted != self._mounted:
                self._mounted = mounted
                self._remounted()

    async def _measure(self, prometheus: Prometheus) -> None:
        while True:
            found = await prometheus.asked(QUERY, read)
            if found is not None and found != self.used:
                self.used = found
                self.moved()
            await asyncio.sleep(_MEASURE)
