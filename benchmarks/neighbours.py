"""How much of the machine others have used meanwhile: what a figure is worth depends on it."""

from __future__ import annotations

import os
import time

import psutil


class Neighbours:
    """Measure from now on. Ask once everything that was started has ended."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._busy = _busy()
        self._own = _own()

    def share(self) -> float:
        """Return the part of all processors (0 to 1) that was not ours and not idle."""
        seconds = (time.monotonic() - self._since) * (os.cpu_count() or 1)
        others = (_busy() - self._busy) - (_own() - self._own)
        return max(0.0, others / seconds)


def _busy() -> float:
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - times.iowait - times.guest - times.guest_nice)


def _own() -> float:
    """Count this process and whatever has ended below it."""
    return sum(os.times()[:4])
