"""What tells a process from all others, on this machine and elsewhere."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import msgspec

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


def this_process() -> Owner:
    """Return this process."""
    pid = os.getpid()
    return Owner(host=socket.gethostname(), pid=pid, start=started(pid) or 0, space=_space())


def runs(owner: Owner) -> bool | None:
    """Return whether a process runs, None if that cannot be seen from here.

    Processes of other machines and containers cannot be seen, nor those of other accounts where
    `/proc` hides them.
    """
    if owner.space != _space():
        return None
    start = started(owner.pid)
    if start is None and _is_hidden(owner.pid):
        return None
    return start == owner.start


def started(pid: int) -> int | None:
    """Return when a process started, in clock ticks after the boot, None if it does not run."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else int(rest[18])


def _is_hidden(pid: int) -> bool:
    """Return whether a process of another account may run that `/proc` does not show."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        pass
    return False


def _space() -> str:
    try:
        return f"{_BOOT.read_text().strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()
