"""Chunks of a log from its lines; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.utf8 import cut_begin, without_cut_end
from .positions import Line, Position, find


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
