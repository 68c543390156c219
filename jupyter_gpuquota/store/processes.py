"""The processes that use lakes and caches: which of them still run, and how they end.

A folder that a process works in is locked, so that it can be told from one that was left behind:
what a killed process has left, the next one removes.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NoReturn

import msgspec

from .tasks import in_thread

_BOOT = Path("/proc/sys/kernel/random/boot_id")
Remove = Callable[[Path], object]
"""Removes a folder with all that it contains. Raises OSError."""


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


@asynccontextmanager
async def room(place: Path, prefix: str, remove: Remove = shutil.rmtree) -> AsyncIterator[Path]:
    """Return a new folder that is removed afterwards, as are those beside it that were left behind.

    Those are the folders of this account whose names begin with `prefix`. Raises OSError.
    """
    made = await in_thread(Room, place, prefix, remove)
    try:
        yield place
    finally:
        await in_thread(made.close)


class Room:
    """The same for who cannot use `async with`: a new folder at `place`, until `close`.

    Raises OSError.
    """

    def __init__(self, place: Path, prefix: str, remove: Remove = shutil.rmtree) -> None:
        self.place = place
        self._remove = remove
        self._lock = _made(place, prefix, remove)

    def close(self) -> None:
        """Remove the folder; the next process does it if that fails. Raises OSError."""
        try:
            self._remove(self.place)
        finally:
            os.close(self._lock)


def _made(place: Path, prefix: str, remove: Remove) -> int:
    """Make a folder where nothing is left behind, and return it locked."""
    for left in place.parent.iterdir():
        if left.name.startswith(prefix):
            _sweep(left, remove)
    while True:
        place.mkdir(mode=0o700)
        with suppress(FileNotFoundError):  # somebody has swept it up before it was locked
            return _locked(place)


def _locked(place: Path) -> int:
    """Return a folder, locked. Raises FileNotFoundError if it is gone."""
    lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        place.lstat()
    except BaseException:
        os.close(lock)
        raise
    return lock


def _sweep(left: Path, remove: Remove) -> None:
    """Remove a folder of this account that no process has locked."""
    try:
        lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return  # it is not a folder, may not be read, or has just been removed
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_uid == os.geteuid():
            remove(left)
    except OSError:
        return  # another process works in it, or it cannot be removed
    finally:
        os.close(lock)


def leave(code: int) -> NoReturn:
    """End this process without finalising the interpreter.

    Threads of obstore that call back into an interpreter that is being finalised abort it now and
    then (SIGABRT), after all work was done.
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
