"""The machine's load from other processes, on which the reliability of figures depends."""

from __future__ import annotations

import os
import time

import psutil


class BackgroundLoad:
    """The load since creation; valid once all processes started by us have ended."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._busy = _busy()
        self._own = _own()

    def share(self) -> float:
        """Return the share of all processors (0 to 1) that was neither ours nor idle."""
        seconds = (time.monotonic() - self._since) * (os.cpu_count() or 1)
        others = (_busy() - self._busy) - (_own() - self._own)
        return max(0.0, others / seconds)


def _busy() -> float:
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - times.iowait - times.guest - times.guest_nice)


def _own() -> float:
    """Return the CPU seconds of this process and its ended descendants."""
    return sum(os.times()[:4])
