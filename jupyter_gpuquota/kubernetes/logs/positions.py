"""Positions in the log of a container, which are the cursors of readers.

The API of logs knows no offsets: it answers from a whole second on, or with the last lines. The
time stamps that the runtime writes do not change, so a line is named by its stamp and, among the
lines with the same one, by its number in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
