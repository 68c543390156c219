"""The progress of a long operation."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import msgspec


class Progress(msgspec.Struct, frozen=True):
    """Files and bytes that are done, of how many; totals are 0 while they are unknown.

    `moved` counts the bytes that travelled over the network.
    """

    files: int = 0
    bytes: int = 0
    all_files: int = 0
    all_bytes: int = 0
    moved: int = 0


Report = Callable[[Progress], None]
"""Called with the progress after every step, also from threads; it must return quickly."""


class Steps:
    """Reports several operations, one after the other, as one."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._before = Progress()
        self._now = Progress()

    def __call__(self, progress: Progress) -> None:
        """Note how far the present operation is."""
        self._now = progress
        self._report(_sum(self._before, progress))

    def next(self) -> None:
        """Begin the next operation."""
        self._before, self._now = _sum(self._before, self._now), Progress()


class Meter:
    """Adds up progress, from any thread, and reports it."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._lock = Lock()
        self.progress = Progress()

    def add(self, **more: int) -> None:
        """Add to some of the counts."""
        with self._lock:
            now = self.progress
            sums = {name: getattr(now, name) + count for name, count in more.items()}
            self.progress = msgspec.structs.replace(now, **sums)
            self._report(self.progress)


def _sum(one: Progress, other: Progress) -> Progress:
    names = Progress.__struct_fields__
    return Progress(**{name: getattr(one, name) + getattr(other, name) for name in names})
