"""Writing files: of exact modes, with holes for zeros, sharing blocks, durably."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..entries import Entry

_LIBC = ctypes.CDLL(None, use_errno=True)
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


def flush(folder: Path) -> None:
    """Write everything of a folder's file system to its disk: one call for a million files.

    It waits for other processes' writes, too. Raises OSError if something cannot be written.
    """
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if _LIBC.syncfs(opened):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(opened)


def sync_path(path: Path) -> None:
    """Write a file to its disk, or the names in a folder. Raises OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class Modes(NamedTuple):
    """The modes of files, and of executable ones."""

    file: int
    executable: int

    def of(self, entry: Entry) -> int:
        """Return the mode of a file."""
        return self.executable if entry.executable else self.file


READ_ONLY = Modes(0o444, 0o555)

_BLOCK = 64 << 10
_ZEROS = memoryview(bytes(_BLOCK))


def writable() -> Modes:
    """Return the modes of files that a user may write.

    It is called before threads are started: the umask is set to be read.
    """
    umask = os.umask(0o077)
    os.umask(umask)
    return Modes(0o666 & ~umask, 0o777 & ~umask)


def create(path: Path, mode: int) -> BinaryIO:
    """Return a new file, open for writing, of exactly this mode. Raises FileExistsError."""
    return os.fdopen(_created(path, mode), "wb")


def write_small(path: Path, mode: int, body: bytes) -> None:
    """Write a new file of exactly this mode at once. Raises FileExistsError."""
    file = _created(path, mode)
    try:
        left = memoryview(body)
        while left:
            left = left[os.write(file, left) :]
    finally:
        os.close(file)


def _created(path: Path, mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(path, flags, mode)
    if stat.S_IMODE(os.fstat(file).st_mode) != mode:  # the umask forbids a part of it
        os.fchmod(file, mode)
    return file


def write_sparse(file: BinaryIO, body: bytes) -> None:
    """Write bytes; blocks of zeros become holes.

    At the end, the file has to be truncated to its size: it may end with a hole.
    """
    view = memoryview(body)
    for start in range(0, len(body), _BLOCK):
        block = view[start : start + _BLOCK]
        if block == _ZEROS[: len(block)]:
            file.seek(len(block), os.SEEK_CUR)
        else:
            file.write(block)


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
