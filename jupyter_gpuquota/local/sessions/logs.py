"""Read a session's log across its rotated files; offsets count from its first byte."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ...core.utf8 import cut_begin, without_cut_end
from ...errors import FieldError, refused
from ...model.sessions import LogChunk, LogQuery
from ..shim import files

LIMIT = 4 * 2**20
"""Maximum bytes of one chunk."""
_BLOCK = 64 * 1024
_LINE = 1000


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a log: `size` bytes from the offset `start`."""

    path: Path
    start: int
    size: int

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.start + self.size


def parts(folder: Path) -> list[Part]:
    """Return the files of a log, oldest first."""
    while True:
        base = files.read_base(folder)
        found = [
            Part(path, int(path.suffix[1:]), path.stat().st_size)
            for path in folder.glob("log.*")
            if path.suffix[1:].isdecimal() and int(path.suffix[1:]) < base
        ]
        log = folder / "log"
        found.append(Part(log, base, log.stat().st_size if log.exists() else 0))
        if files.read_base(folder) == base:  # else it was rotated meanwhile
            return sorted(found, key=lambda part: part.start)


def end_of(folder: Path) -> int:
    """Return the offset after the last byte of a log."""
    return parts(folder)[-1].end


def read(folder: Path, offset: int, limit: int) -> tuple[bytes, int]:
    """Return bytes from `offset` on, and where they begin: later if older ones were removed."""
    files = parts(folder)
    begin = min(max(offset, files[0].start), files[-1].end)
    data = b""
    for part in files:
        at = begin + len(data)
        if part.start <= at < part.end and len(data) < limit:
            data += _slice(part, at, limit - len(data))
    return data, begin


def read_before(folder: Path, offset: int, limit: int) -> tuple[bytes, int]:
    """Return at most `limit` bytes before `offset`, and where they begin."""
    start = max(0, offset - limit)
    data, begin = read(folder, start, offset - start)
    return data[: max(0, offset - begin)], min(begin, offset)


def tail(folder: Path, lines: int, limit: int, since: int = 0) -> tuple[bytes, int]:
    """Return the last lines from `since` on, at most `limit` bytes, and where they begin."""
    files = parts(folder)
    end, lowest = files[-1].end, max(since, files[0].start, files[-1].end - limit)
    begin, data = end, b""
    while begin > lowest and data.count(b"\n", 0, -1) < lines:
        start = max(lowest, begin - _BLOCK)
        block, start = read(folder, start, begin - start)
        if not block:
            break
        begin, data = start, block + data
    kept = b"".join(data.splitlines(keepends=True)[-lines:])
    return kept, begin + len(data) - len(kept)


def last_lines(folder: Path, lines: int, since: int) -> tuple[str, ...]:
    """Return the last lines of a run as text."""
    data, _ = tail(folder, lines, _BLOCK, since)
    return tuple(line[:_LINE] for line in data.decode(errors="replace").splitlines()[-lines:])


def chunk(folder: Path, query: LogQuery, *, ended: bool) -> LogChunk:
    """Return the chunk that a query requests; a cursor is the offset of a byte.

    A character that is still being written is left to the next chunk. Raises InvalidFields for a
    cursor that is not an offset.
    """
    limit = min(max(query.limit, 4), LIMIT)
    cursor, before = _offset("cursor", query.cursor), _offset("before", query.before)
    wanted = 0
    if query.before:
        data, begin = _from_whole(*read_before(folder, before, limit))
    elif query.tail > 0:
        data, begin = _from_whole(*tail(folder, query.tail, limit))
    else:
        data, begin = read(folder, cursor, limit)
        wanted = cursor
    if not query.before and not (ended and begin + len(data) >= end_of(folder)):
        data = without_cut_end(data)
    after, files = begin + len(data), parts(folder)
    oldest = files[0].start
    return LogChunk(
        text=data.decode(errors="replace"),
        cursor=str(after),
        earlier=str(begin) if begin > oldest else "",
        missed=wanted < begin <= oldest,
        ended=ended and after >= files[-1].end,
    )


def _from_whole(data: bytes, begin: int) -> tuple[bytes, int]:
    """Drop the rest of a character that begins before `data`."""
    cut = cut_begin(data)
    return data[cut:], begin + cut


def _offset(field: str, cursor: str) -> int:
    if not re.fullmatch(r"[0-9]{0,18}", cursor):
        hint = "Use the cursor of an earlier chunk, or leave it out."
        raise refused(FieldError(field, "Not a cursor of a log.", hint))
    return int(cursor or 0)


def _slice(part: Part, at: int, count: int) -> bytes:
    with part.path.open("rb") as file:
        file.seek(at - part.start)
        return file.read(min(count, part.end - at))
