"""Measures what volumes use, one after the other, off the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable

from ...core.volumes.uses import Key
from .store import Measured, VolumeRecord, VolumeStore

_log = logging.getLogger(__name__)

_EVERY = 60.0
"""Seconds between two measurements of a volume, or more for one that takes long to measure."""
_SHARE = 20
"""Measuring a volume takes at most one second of so many."""


class Measuring:
    """What volumes use, as it was last measured. `changed` is called when that changes."""

    def __init__(
        self,
        store: VolumeStore,
        records: Callable[[], Iterable[VolumeRecord]],
        changed: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._records = records
        self._changed = changed
        self._clock = clock
        self._found: dict[Key, Measured] = {}
        self._due: dict[Key, float] = {}
        self._seen: dict[Key, VolumeRecord] = {}
        self._wake = asyncio.Event()
        self._stopped = threading.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._running = asyncio.create_task(self._run())

    def of(self, key: Key, otherwise: Measured) -> Measured:
        """Return what was last measured of a volume."""
        return self._found.get(key, otherwise)

    def wake(self) -> None:
        """Look at once for what has changed, and free what was removed."""
        self._wake.set()

    async def close(self) -> None:
        """Stop; a measurement that is under way is given up."""
        self._stopped.set()
        if self._running:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def look(self) -> None:
        """Free what was removed, and measure the volumes that are new, changed or due."""
        await asyncio.to_thread(self._store.tidy)
        known = {(each.project, each.name): each for each in self._records()}
        for key in self._found.keys() - known.keys():
            del self._found[key]
        for key, record in known.items():
            if self._seen.get(key) != record or self._due.get(key, 0.0) <= self._clock():
                await self.measure(record)

    async def measure(self, record: VolumeRecord) -> None:
        """Measure one volume now."""
        key = record.project, record.name
        began = self._clock()
        found = await asyncio.to_thread(self._store.measure, record, self._stopped.is_set)
        took = self._clock() - began
        self._due[key] = began + took + max(_EVERY, _SHARE * took)
        self._seen[key] = record
        self._keep(key, found)

    async def check_limit(self, record: VolumeRecord) -> None:
        """Measure a volume now if the file system limits it, which is quick; else leave it."""
        if found := await asyncio.to_thread(self._store.limited, record):
            self._keep((record.project, record.name), found)

    def _keep(self, key: Key, found: Measured) -> None:
        if found != self._found.get(key):
            self._found[key] = found
            self._changed()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self.look()
            except Exception:  # noqa: BLE001 (a bug must not end the measuring of all volumes)
                _log.exception("measuring volumes failed")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_EVERY):
                    await self._wake.wait()
