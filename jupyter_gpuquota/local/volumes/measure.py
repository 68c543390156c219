"""What a folder uses on the disk, and what its file system allows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ...store.frozen import mounts

_BLOCK = 512
"""Bytes of a block in `st_blocks`, as stat(2) says."""
_LOOKS = 1000


def used(folder: str, stopped: Callable[[], bool]) -> int | None:
    """Return the bytes that the files below a folder take on its disk; None if it was stopped.

    A file with several names counts once; symbolic links are not followed, and what cannot be read
    does not count.
    """
    total, seen = 0, set[tuple[int, int]]()
    for count, found in enumerate(_stats(folder)):
        if count % _LOOKS == 0 and stopped():
            return None
        if found.st_nlink > 1:
            if (found.st_dev, found.st_ino) in seen:
                continue
            seen.add((found.st_dev, found.st_ino))
        total += found.st_blocks * _BLOCK
    return total


def limit(folder: str) -> tuple[int, int]:
    """Return the bytes that a folder may take and those that it takes, where that is its own limit.

    That is so for the root of a file system, and for a folder with a project quota of ext4 or XFS:
    statfs(2) answers with the quota there. Else both are 0. Raises OSError.
    """
    here = os.statvfs(folder)
    above = os.statvfs(Path(folder).parent)
    whole, taken = here.f_blocks * here.f_frsize, (here.f_blocks - here.f_bfree) * here.f_frsize
    if _is_mounted(Path(folder)) or whole < above.f_blocks * above.f_frsize:
        return whole, taken
    return 0, 0


def _is_mounted(folder: Path) -> bool:
    """Return whether a folder is the root of a file system: one of a subvolume is not enough."""
    real = folder.resolve()
    return real.is_mount() and any(each.point == real for each in mounts())


def _stats(folder: str) -> Iterator[os.stat_result]:
    """Yield what is known of each file and folder below a folder."""
    waiting = [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:  # it is gone or closed to us
            for entry in entries:
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    yield entry.stat(follow_symlinks=False)
