"""Reading many ranges of one object: those that lie close by one request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from ..tasks import together

_GAP = 1 << 20
"""Bytes between two ranges up to which one request reads both."""


async def read_ranges(
    read: Callable[[int, int], Awaitable[bytes]], starts: Sequence[int], sizes: Sequence[int]
) -> list[bytes]:
    """Return several ranges; `read` returns one by its start and size, or what there is of it."""
    found: list[bytes] = [b""] * len(starts)

    async def fill(held: Sequence[int]) -> None:
        first = starts[held[0]]
        last = max(starts[number] + sizes[number] for number in held)
        body = await read(first, last - first)
        for number in held:
            at = starts[number] - first
            found[number] = body[at : at + sizes[number]]

    await together(fill(held) for held in _close(starts, sizes))
    return found


def _close(starts: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Return which ranges are read by one request, each by its number: those that lie close."""
    found: list[list[int]] = []
    end = 0
    for number in sorted(range(len(starts)), key=starts.__getitem__):
        if not found or starts[number] > end + _GAP:
            found.append([])
        found[-1].append(number)
        end = max(end, starts[number] + sizes[number])
    return found
