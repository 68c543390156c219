"""Copies of a file that share its blocks, or the file itself, where the file system allows it."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

from .files import create

_FICLONE = 0x40049409
"""ioctl_ficlone(2)"""

_NOT_HERE = {
    errno.EPERM,
    errno.ENOTSUP,
    errno.EXDEV,
    errno.ENOTTY,
    errno.ENOSYS,
    errno.EINVAL,
    errno.EMLINK,
    errno.ENOENT,
    errno.EACCES,
}
"""What file systems answer that cannot clone or link, or not this file."""


def reflink(source: Path, target: Path, mode: int) -> bool:
    """Make a copy of a mode that shares the blocks of a file until one of them is written.

    Return False where that is impossible; the target does not exist then.
    """
    try:
        with source.open("rb") as old, create(target, mode) as new:
            fcntl.ioctl(new, _FICLONE, old.fileno())
    except OSError as error:
        target.unlink(missing_ok=True)
        if error.errno in _NOT_HERE:
            return False
        raise
    return True


def hardlink(source: Path, target: Path) -> bool:
    """Give a file a second name; return False where that is impossible."""
    try:
        target.hardlink_to(source)
    except OSError as error:
        if error.errno in _NOT_HERE:
            return False
        raise
    return True
