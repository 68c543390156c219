"""Reading files that others may write meanwhile: what is read is never torn."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TypeVar

import msgspec

from .disk import failures
from .packs import PART, SMALL
from .paths import printable

T = TypeVar("T")

ATTEMPTS = 3
_CHUNK = 1 << 20
QUIET = 100_000_000
"""Nanoseconds for which nobody has written a file that counts as whole."""
_PATIENCE = 1.0
_ALTOGETHER = 10.0
"""Seconds to wait for one file to be quiet, and for all of an upload."""
_MAPPED = re.compile(rb"^\S+ .w.s \S+ \S+ (\d+)", re.MULTILINE)
"""A line of /proc/PID/maps: a mapping that is written and shared, and the number of its file."""


class Content(msgspec.Struct, frozen=True):
    """What a file contained: its size in bytes, its sha256, and that of each of its parts."""

    size: int
    sha256: str
    parts: tuple[str, ...]


def identity(stats: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced."""
    return (stats.st_dev, stats.st_ino, stats.st_size, stats.st_mtime_ns, stats.st_ctime_ns)


def mapped() -> Iterator[int]:
    """Yield the numbers of the files that processes of this account have mapped for writing."""
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdecimal():
                with suppress(OSError):  # it has ended, or is of another account
                    yield from map(int, _MAPPED.findall(Path(entry.path, "maps").read_bytes()))


class Watch:
    """Tells of files whether somebody writes them now, for one upload.

    A program that writes a file bit by bit leaves it alone now and then: a file counts as whole if
    nobody has written it for a moment before it is read, nor meanwhile. What is written by way of
    a mapping changes the times of its file once for each page only, until that is on the disk.
    """

    def __init__(self) -> None:
        self._began = time.time_ns()
        self._mapped = frozenset(mapped())
        self._left = _ALTOGETHER

    def tells(self, stats: os.stat_result) -> bool:
        """Return whether the times of a file tell from now on that it has been written."""
        return stats.st_ino not in self._mapped and _written(stats) < self._began

    def begin(self, file: int) -> os.stat_result | None:
        """Return the state of an open file, None if it does not come to rest. Blocks a while."""
        limit = min(_PATIENCE, self._left)
        stats = self._state(file)
        while (age := time.time_ns() - _written(stats)) < QUIET:
            wait = (QUIET - max(age, 0)) / 1e9
            if wait > limit:
                return None
            time.sleep(wait)
            limit, self._left = limit - wait, self._left - wait
            before, stats = stats, self._state(file)
            if age < 0 and identity(before) == identity(stats):
                break  # by another clock than ours, that of a server
        return stats

    def _state(self, file: int) -> os.stat_result:
        """Return the state of a file; whatever is written from then on changes its times."""
        stats = os.fstat(file)
        if stats.st_ino not in self._mapped:
            return stats
        os.fdatasync(file)
        return os.fstat(file)


def _written(stats: os.stat_result) -> int:
    return max(stats.st_mtime_ns, stats.st_ctime_ns)


def whole(
    path: Path, read: Callable[[FileIO], T], watch: Watch | None = None
) -> tuple[T, os.stat_result]:
    """Return what `read` makes of a file that nobody writes meanwhile, and the file's state.

    With a `watch`, nobody has written it a moment before, either.

    :raises Conflict: the file changed during each of three attempts.
    :raises StorageFailed: it cannot be read.
    """
    for _ in range(ATTEMPTS):
        with failures.reading(path), FileIO(path) as file:
            before = watch.begin(file.fileno()) if watch else os.fstat(file.fileno())
            if before is None:
                break
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
        f"{printable(str(path))} changes while it is read.",
        hint="Stop what writes it, or sync a copy.",
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
