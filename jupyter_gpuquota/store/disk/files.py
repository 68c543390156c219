"""Writing files: of exact modes, with holes for zeros."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..entries import Entry


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
