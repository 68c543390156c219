"""Disk space reserved for replacing a small file when the disk is full."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_BLOCK = 4096


def reserve(room: Path, size: int) -> None:
    """Reserve space for a file of about this size; on a full disk, the next call tries again."""
    wanted = (size // _BLOCK + 2) * _BLOCK
    with contextlib.suppress(OSError):
        fd = os.open(room, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(fd).st_size < size + _BLOCK:
                os.posix_fallocate(fd, 0, wanted)
        finally:
            os.close(fd)


def replace_file(room: Path, path: Path, data: bytes) -> None:
    """Replace a file, using the reserved space. Raises OSError."""
    with open(os.open(room, os.O_WRONLY | os.O_CLOEXEC), "wb", buffering=0) as file:  # noqa: PTH123 (a descriptor)
        file.write(data)
        file.truncate()
        os.fsync(file.fileno())
    room.rename(path)
