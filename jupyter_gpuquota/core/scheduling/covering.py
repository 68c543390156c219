"""Which of several amounts cover what is missing, as few as possible."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain, combinations, islice

from sortedcontainers import SortedList

Amounts = tuple[int, ...]
"""Quantities of several kinds, such as milli-GPU, memory in MiB and compute in %."""


def covers(lacks: Amounts, gains: Sequence[Amounts]) -> bool:
    """Return whether all gains together cover what is missing."""
    return all(sum(each) >= lack for lack, *each in zip(lacks, *gains, strict=True))


def is_minimal(lacks: Amounts, gains: Sequence[Amounts]) -> bool:
    """Return whether all gains cover what is missing, and fewer do not."""
    over = [sum(each) - lack for lack, *each in zip(lacks, *gains, strict=True)]
    if min(over) < 0:
        return False
    return not any(all(map(int.__le__, gain, over)) for gain in gains)


def fewest(lacks: Amounts, gains: Sequence[Amounts]) -> int:
    """Return how many gains are needed at least, one more than all if they do not suffice."""
    kinds = zip(*gains, strict=True) if gains else [()] * len(lacks)
    return max(map(_fewest, lacks, kinds))


def _fewest(lack: int, gains: Sequence[int]) -> int:
    count = 0
    for gain in sorted(gains, reverse=True):
        if lack <= 0:
            break
        lack -= gain
        count += 1
    return count if lack <= 0 else len(gains) + 1


def minimal_covers(
    lacks: Amounts, gains: Sequence[Amounts], most: int
) -> Iterator[tuple[int, ...]]:
    """Yield gains that suffice and of which none could be left out, by place, the fewest first.

    Of all sets so many are tried at most; where there are more, `cover` is among those yielded.
    """
    places = range(len(gains))
    counts = range(fewest(lacks, gains), len(gains) + 1)
    tried = islice(chain.from_iterable(combinations(places, count) for count in counts), most)
    found = (chosen for chosen in tried if is_minimal(lacks, [gains[place] for place in chosen]))
    sure = cover(lacks, gains) if 1 << len(gains) > most else None
    yield from merge(found, () if sure is None else [tuple(sure)], key=len)


def cover(lacks: Amounts, gains: Sequence[Amounts]) -> list[int] | None:
    """Return which gains to take, by place: few, and the first ones; None if all do not suffice.

    Where one kind of amount decides, none are fewer, and the last one taken is as early as can be.
    """
    if not covers(lacks, gains):
        return None
    if max(lacks) <= 0:
        return []
    for count in range(fewest(lacks, gains), len(gains)):
        if chosen := _first(lacks, gains[: _needed(lacks, gains, count)], count):
            break
    else:
        chosen = [*range(len(gains))]
    for place in reversed(chosen[:]):
        others = [other for other in chosen if other != place]
        if covers(lacks, [gains[other] for other in others]):
            chosen = others
    return chosen


def _needed(lacks: Amounts, gains: Sequence[Amounts], count: int) -> int:
    """Return how many of the first gains are needed for so many of them to suffice."""

    def suffice(first: int) -> bool:
        return fewest(lacks, gains[:first]) <= min(count, first)

    return bisect_left(range(len(gains)), 1, key=suffice)


def _first(lacks: Amounts, gains: Sequence[Amounts], count: int) -> list[int] | None:
    """Return the first gains that suffice, so many at most; None if none were found."""
    later = [SortedList(kind) for kind in zip(*gains, strict=True)]
    chosen: list[int] = []
    for place, gain in enumerate(gains):
        for kind, amount in zip(later, gain, strict=True):
            kind.remove(amount)
        more = count - len(chosen) - 1
        left = tuple(lack - amount for lack, amount in zip(lacks, gain, strict=True))
        best = (sum(kind[-more:]) if more else 0 for kind in later)
        if all(map(int.__le__, left, best)):
            chosen.append(place)
            lacks = left
        if max(lacks) <= 0:
            return chosen
    return None
