"""Reading files that others may write meanwhile: what is read is never torn."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TypeVar

import msgspec

from .disk import failures
from .packs import PART, SMALL

T = TypeVar("T")

ATTEMPTS = 3
_CHUNK = 1 << 20


class Content(msgspec.Struct, frozen=True):
    """What a file contained: its size in bytes, its sha256, and that of each of its parts."""

    size: int
    sha256: str
    parts: tuple[str, ...]


def identity(stats: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced."""
    return (stats.st_dev, stats.st_ino, stats.st_size, stats.st_mtime_ns, stats.st_ctime_ns)


def whole(path: Path, read: Callable[[FileIO], T]) -> tuple[T, os.stat_result]:
    """Return what `read` makes of a file that nobody writes meanwhile, and the file's state.

    :raises Conflict: the file changed during each of three attempts.
    :raises StorageFailed: it cannot be read.
    """
    for _ in range(ATTEMPTS):
        with failures.reading(path), FileIO(path) as file:
            before = os.fstat(file.fileno())
            made = read(file)
            after = os.fstat(file.fileno())
        if identity(before) == identity(after):
            return made, after
    raise changing(path)


def ahead(paths: Iterable[Path]) -> None:
    """Let the disk begin to read files: all at once they take a fraction of the time.

    What cannot be opened is passed over.
    """
    for path in paths:
        with suppress(OSError):
            file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(file)


def changing(path: Path) -> failures.Changed:
    """Return the error of a file that somebody writes."""
    return failures.Changed(
        f"{path} changes while it is read.", hint="Stop what writes it, or sync a copy."
    )


def small_or_hashed(file: FileIO) -> tuple[Content, bytes]:
    """Return the content of an open file, and its bytes if it is small."""
    # As much memory as it needs; some network file systems return less than is there.
    size = min(os.fstat(file.fileno()).st_size + 1, SMALL)
    body = file.read(size) or b""
    while len(body) < SMALL and (more := file.read(min(size, SMALL - len(body)))):
        body += more
    if len(body) < SMALL:
        sha256 = hashlib.sha256(body).hexdigest()
        return Content(len(body), sha256, (sha256,) if body else ()), body
    file.seek(0)
    return hashed(file), b""


def hashed(file: FileIO) -> Content:
    """Return the size and the hashes of an open file."""
    total, size, parts = hashlib.sha256(), 0, []
    buffer = memoryview(bytearray(_CHUNK))
    while True:
        part, length = hashlib.sha256(), 0
        while length < PART and (count := file.readinto(buffer)):
            part.update(buffer[:count])
            total.update(buffer[:count])
            length += count
        if not length:
            break
        size += length
        parts.append(part.hexdigest())
    return Content(size, total.hexdigest(), tuple(parts))
