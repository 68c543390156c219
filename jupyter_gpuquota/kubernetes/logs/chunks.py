"""Chunks of a container's log from its lines, and positions in it: cursors of readers. Pure.

The API of logs knows no offsets: it answers from a whole second on, or with the last lines. The
time stamps that the runtime writes do not change, so a line is named by its stamp and, among the
lines with the same one, by its number in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.utf8 import cut_begin, without_cut_end
from ...errors import FieldError, refused

_STAMP = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)"
_LINE = re.compile(rb"(" + _STAMP + rb") ")
_CURSOR = re.compile(
    r"(?P<source>[\w-]{1,64}\.\d{1,9})(?:~(?P<stamp>"
    + _STAMP.decode()
    + r")~(?P<number>\d{1,9})~(?P<offset>\d{1,12}))?"
)
_SECOND = 19
"""Length of a stamp down to its second."""
KEPT = "kept"
"""The cursor after the lines that are kept when the log itself is gone."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log: its stamp, its number among those with this stamp, from 1, and its text.

    The text has the line's end, unless the line goes on.
    """

    stamp: str
    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a log: after `offset` bytes of a line's text.

    `source` names the container and how often it was restarted. Without a stamp it is the beginning
    for what follows it, and the end for what precedes it.
    """

    source: str
    stamp: str = ""
    number: int = 0
    offset: int = 0

    def __str__(self) -> str:
        """Return the cursor."""
        if not self.stamp:
            return self.source
        return f"{self.source}~{self.stamp}~{self.number}~{self.offset}"

    @property
    def second(self) -> str:
        """The second of its line, as the API takes it."""
        zone = re.sub(r"^\.\d+", "", self.stamp[_SECOND:])
        return self.stamp[:_SECOND] + zone


def read_cursor(field: str, cursor: str) -> Position | None:
    """Return the position that a cursor stands for, None for none. Raises InvalidFields."""
    if cursor in ("", KEPT):
        return None
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        hint = "Use the cursor of an earlier chunk, or leave it out."
        raise refused(FieldError(field, "Not a cursor of a log.", hint))
    number, offset = found["number"] or "0", found["offset"] or "0"
    return Position(found["source"], found["stamp"] or "", int(number), int(offset))


def parse(log: bytes) -> list[Line]:
    """Return the lines of a log with time stamps.

    What has no stamp continues the line before: the runtime breaks long lines, and lines of the
    other stream may come in between. At the beginning it is no part of the log.
    """
    lines: list[Line] = []
    seen: Counter[str] = Counter()
    for raw in _split(log):
        found = _LINE.match(raw)
        if found:
            stamp = found[1].decode()
            seen[stamp] += 1
            lines.append(Line(stamp, seen[stamp], raw[found.end() :]))
        elif lines:
            last = lines[-1]
            lines[-1] = Line(last.stamp, last.number, last.text + raw)
    return lines


def find(lines: Sequence[Line], place: Position) -> int | None:
    """Return the index of the line that a position is in, None if it is not there."""
    for index, line in enumerate(lines):
        if line.stamp == place.stamp and line.number == place.number:
            return index
    return None


def _split(log: bytes) -> Iterator[bytes]:
    """Yield lines that end with a line feed only: programs print carriage returns, too."""
    begin = 0
    while (end := log.find(b"\n", begin)) >= 0:
        yield log[begin : end + 1]
        begin = end + 1
    if begin < len(log):
        yield log[begin:]


@dataclass(frozen=True, slots=True)
class Part:
    """Text of one container's log, and the positions before and after it.

    `first` is whether nothing precedes it in this log, `missed` whether lines before it may be
    lost, `cut` whether the limit ended it.
    """

    text: bytes
    begin: Position
    end: Position
    first: bool = False
    missed: bool = False
    cut: bool = False


def after(
    lines: Sequence[Line], place: Position, limit: int, *, whole: bool, ended: bool
) -> Part | None:
    """Return what follows a position; None if its line is not there and may yet come.

    A place without a stamp is the beginning. `whole` is whether the lines reach to the log's end.
    """
    index = find(lines, place) if place.stamp else 0
    missed = index is None
    if index is None:
        if not whole:
            return None
        later = (at for at, line in enumerate(lines) if line.stamp > place.stamp)
        index = next(later, len(lines))
    if index >= len(lines):
        return Part(b"", place, place)
    offset = 0 if missed or not place.stamp else place.offset
    text, end, cut = _take(lines[index:], offset, limit)
    kept = text if ended and whole and not cut else without_cut_end(text)
    if len(kept) < len(text):
        end = Position("", end.stamp, end.number, end.offset - (len(text) - len(kept)))
    first = lines[index]
    begin = Position(place.source, first.stamp, first.number, offset)
    end = Position(place.source, end.stamp, end.number, end.offset)
    return Part(kept, begin, end, first=not place.stamp, missed=missed, cut=cut or not whole)


def before(lines: Sequence[Line], place: Position, limit: int) -> Part:
    """Return at most `limit` bytes before a position, or before the log's end without a stamp."""
    index, offset = len(lines), 0
    if place.stamp:
        found = find(lines, place)
        if found is None:
            index = sum(line.stamp < place.stamp for line in lines)
        else:
            index, offset = found, place.offset
    parts = [line.text for line in lines[:index]]
    if offset:
        parts.append(lines[index].text[:offset])
    return _last(lines, parts, place, limit)


def tail(lines: Sequence[Line], source: str, count: int, limit: int) -> Part:
    """Return the last lines, at most `limit` bytes."""
    part = _last(lines, [line.text for line in lines], Position(source), limit)
    shown = b"".join(line.text for line in lines[-count:])
    if len(shown) >= len(part.text):
        return part
    at = lines[-count]
    begin = Position(source, at.stamp, at.number, 0)
    return Part(shown, begin, part.end, first=count >= len(lines))


def end_of(lines: Sequence[Line], source: str) -> Position:
    """Return the position after the last line."""
    if not lines:
        return Position(source)
    last = lines[-1]
    return Position(source, last.stamp, last.number, len(last.text))


def _take(lines: Sequence[Line], offset: int, limit: int) -> tuple[bytes, Position, bool]:
    """Return at most `limit` bytes from an offset in the first line on, and where they end."""
    parts: list[bytes] = []
    left = limit
    at = Position("", lines[0].stamp, lines[0].number, offset)
    for line in lines:
        rest = line.text[offset:]
        taken = rest[:left]
        parts.append(taken)
        left -= len(taken)
        at = Position("", line.stamp, line.number, offset + len(taken))
        if len(taken) < len(rest) or not left:
            return b"".join(parts), at, True
        offset = 0
    return b"".join(parts), at, False


def _last(lines: Sequence[Line], parts: Sequence[bytes], place: Position, limit: int) -> Part:
    """Return the end of what the first lines have, of which the last one may be a part."""
    kept: list[bytes] = []
    left, index, offset = limit, len(parts), 0
    while index and left:
        index -= 1
        piece = parts[index]
        offset = max(0, len(piece) - left)
        kept.append(piece[offset:])
        left -= len(piece) - offset
    text = b"".join(reversed(kept))
    cut = cut_begin(text)
    if not text:
        return Part(b"", place, place, first=True)
    line = lines[index]
    begin = Position(place.source, line.stamp, line.number, offset + cut)
    end = place if place.stamp else end_of(lines, place.source)
    return Part(text[cut:], begin, end, first=index == 0 and not offset)
