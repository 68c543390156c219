"""Folders that a process works in: what a killed one has left, the next one removes.

A folder is locked while it is in use, so that it can be told from one that was left behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ..tasks import in_thread

Remove = Callable[[Path], object]
"""Removes a folder with all that it contains. Raises OSError."""


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
