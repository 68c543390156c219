"""The processes that work in a cache: which of them still live."""

from __future__ import annotations

import os
import socket
import time
import uuid
from pathlib import Path

import msgspec

STALE = 60_000_000_000
"""Nanoseconds without a sign of life after which a process of another machine counts as dead."""

_BOOT = Path("/proc/sys/kernel/random/boot_id")


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """One process: its host and pid for people, and what tells it from all others.

    `space` names the boot of the machine and the container, in which `pid` and `start` (in clock
    ticks since the boot) are unique.
    """

    host: str
    pid: int
    start: int
    space: str


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


def this_process() -> Owner:
    """Return this process."""
    pid = os.getpid()
    return Owner(host=socket.gethostname(), pid=pid, start=started(pid) or 0, space=_space())


def lives(owner: Owner, renewed: int, clock: FolderClock) -> bool:
    """Return whether a process lives that gave its last sign of life at `renewed`.

    A process of this machine, or container, is looked up; of another one, the sign must be recent.
    """
    if owner.space == _space():
        return started(owner.pid) == owner.start
    return clock.now() - renewed < STALE


def _space() -> str:
    try:
        return f"{_BOOT.read_text().strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def started(pid: int) -> int | None:
    """Return when a process started, in clock ticks after the boot, None if it does not run."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else int(rest[18])
