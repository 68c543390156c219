"""The processes that work in a cache: which of them still live."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

from ..processes.owners import Owner, runs

STALE = 60_000_000_000
"""Nanoseconds without a sign of life after which a process that cannot be seen counts as dead."""


class FolderClock:
    """The clock of a folder's file system: the clocks of machines are not compared."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._now = 0

    def now(self) -> int:
        """Return the time in nanoseconds, asked once; this machine's where nothing can be written.

        Files are written, so it is asked only if needed.
        """
        self._now = self._now or self._ask()
        return self._now

    def _ask(self) -> int:
        probe = self._root / f".{uuid.uuid4().hex}.tmp"
        try:
            probe.touch()
            stamp = probe.stat().st_mtime_ns
            probe.unlink()
        except OSError:
            return time.time_ns()
        return stamp


def lives(owner: Owner, renewed: int, clock: FolderClock) -> bool:
    """Return whether a process lives that gave its last sign of life at `renewed`.

    A process of this machine, or container, is looked up; of another one, the sign must be recent.
    """
    found = runs(owner)
    return clock.now() - renewed < STALE if found is None else found
