"""The work of devices since it was taken last.

The driver reports the mean utilisation of each process since a time stamp, but forgets what was
more than some seconds ago (16 with driver 580). Whoever asks less often would miss work, so it is
read in between.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from threading import Lock

from .inventory import Driver, Work


class WorkLog:
    """Collects the work of devices, from any thread.

    What was noted less than `apart` seconds ago is not read again: there is hardly anything since
    then, and a process that works would seem to rest at this moment.
    """

    def __init__(self, driver: Driver | None, apart: float = 1.0) -> None:
        self._driver = driver
        self._apart = apart
        self._lock = Lock()
        self._stamps: dict[str, int] = {}
        self._noted: dict[str, tuple[float, Work]] = {}

    def note(self, uuids: Iterable[str]) -> None:
        """Read the work of devices, or MIG instances, and remember it."""
        with self._lock:
            now = time.monotonic()
            self._noted |= {uuid: (now, work) for uuid, work in self._read(uuids).items()}

    def take(self, uuids: Iterable[str]) -> dict[str, Work | None]:
        """Return the work of devices since the last call; None for one that does not respond.

        That of other devices is forgotten.
        """
        with self._lock:
            wanted = set(uuids)
            found = self._read(wanted)
            self._noted = {}
            self._stamps = {uuid: work.stamp for uuid, work in found.items()}
            return {uuid: found.get(uuid) for uuid in wanted}

    def _read(self, uuids: Iterable[str]) -> dict[str, Work]:
        """Map the devices that respond to their work, including what was noted before."""
        found: dict[str, Work] = {}
        if self._driver is None:
            return found
        for uuid in uuids:
            at, before = self._noted.get(uuid, (0.0, None))
            if before and time.monotonic() - at < self._apart:
                found[uuid] = before
            elif work := self._driver.work(uuid, self._stamps.get(uuid, 0)):
                self._stamps[uuid] = work.stamp
                found[uuid] = _added(before, work)
        return found


def _added(before: Work | None, now: Work) -> Work:
    """Return the work of two readings; what holds at this moment is that of the second."""
    if before is None:
        return now
    known = [each for each in (before.most, before.whole, now.whole) if each is not None]
    processes = now.processes
    if processes is not None:
        processes = _highest(before.processes or {}, processes)
    return replace(now, processes=processes, most=max(known, default=None))


def _highest(before: Mapping[int, int], now: Mapping[int, int]) -> dict[int, int]:
    return {pid: max(before.get(pid, 0), now.get(pid, 0)) for pid in {*before, *now}}
