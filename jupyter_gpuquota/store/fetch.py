"""Reading the files of a version from a lake, every hash verified.

What arrives damaged is read again: the network may have done it. What is damaged each time is
damaged in the lake.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import defaultdict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import contextmanager
from typing import Any

import msgspec

from ..errors import Damaged, NotFound
from .entries import Entry, Located, Location
from .lake import layout
from .lake.objects import Readable
from .packs import PART
from .paths import printable
from .progress import Meter
from .tasks import in_thread

ATTEMPTS = 3

IS_DAMAGED = "is damaged in the lake"
IS_MISSING = "is missing in the lake"

PACKS = 4
"""Packs that are read at once: each is up to 33 MiB in memory."""
FILES = 2
"""Large files that are read at once."""
PIECE = 8 << 20
"""Bytes of a large file that one request reads."""
AHEAD = 8
"""Pieces of a large file that are read while the one before is written."""
WINDOW = 65_536
"""Entries that are worked on at once: a version may have millions, which memory must not hold."""


_Read = Coroutine[Any, Any, bytes]

Take = Callable[[int, bytes], Awaitable[None]]
"""Is given the parts of a file in order, each with its offset; at 0 the file begins anew."""


class Small(msgspec.Struct, frozen=True):
    """What was read of one pack: bytes by sha256, and why the rest could not be read."""

    bodies: dict[str, bytes]
    bad: dict[str, str]


def windows(entries: Iterable[Located]) -> Iterator[list[Located]]:
    """Yield entries in groups that fit in memory."""
    iterator = iter(entries)
    while window := list(itertools.islice(iterator, WINDOW)):
        yield window


def by_pack(entries: Iterable[Located]) -> tuple[dict[str, list[Located]], list[Located]]:
    """Return files by the pack that they are in, and those that have objects of their own."""
    packed: dict[str, list[Located]] = defaultdict(list)
    large = []
    for entry, location in entries:
        if entry.is_file and location.pack:
            packed[location.pack].append((entry, location))
        elif entry.is_file:
            large.append((entry, location))
    return packed, large


async def small(objects: Readable, pack: str, held: Iterable[Located]) -> Small:
    """Return the bytes of files in one pack; equal files are read once."""
    places = {entry.sha256: (at.offset, entry.size) for entry, at in held}
    found: dict[str, bytes] = {}
    bad = dict.fromkeys(places, "")
    for _ in range(ATTEMPTS):
        wanted = sorted(bad, key=places.__getitem__)
        try:
            bodies = await objects.get_ranges(
                layout.pack(pack), *zip(*map(places.__getitem__, wanted), strict=True)
            )
        except NotFound:
            return Small(found, dict.fromkeys(bad, IS_MISSING))
        good = await asyncio.to_thread(_good, wanted, bodies)
        found |= good
        bad = {sha256: IS_DAMAGED for sha256 in bad if sha256 not in good}
        if not bad:
            break
    return Small(found, bad)


async def large(
    objects: Readable, entry: Entry, location: Location, meter: Meter, take: Take
) -> None:
    """Give the bytes of a large file to `take`, and verify them.

    They are hashed once, as a whole. Only where that fails is each part checked by itself, and read
    again if it arrived damaged.

    :raises Damaged: the lake lacks a part, or the file is not what the version says.
    """
    done = 0
    for reads, ahead in (
        (_pieces(objects, entry, location), AHEAD),
        ((_checked(objects, part) for part in location.parts), 1),
    ):
        digest, offset = hashlib.sha256(), 0
        async for body in _in_order(reads, ahead):
            # Two threads: hashing does not hold the interpreter's lock.
            await asyncio.gather(take(offset, body), in_thread(digest.update, body))
            offset += len(body)
            meter.add(bytes=offset - done, moved=len(body))
            done = offset
        if digest.hexdigest() == entry.sha256:
            return
    raise Damaged(IS_DAMAGED)


def _pieces(objects: Readable, entry: Entry, location: Location) -> Iterator[_Read]:
    """Yield what reads a file piece by piece."""
    for number, part in enumerate(location.parts):
        size = min(PART, entry.size - number * PART)
        for start in range(0, size, PIECE):
            yield _piece(objects, part, start, min(PIECE, size - start))


async def _in_order(reads: Iterator[_Read], ahead: int) -> AsyncIterator[bytes]:
    """Yield what is read, in order, while so many more are read."""
    tasks: list[asyncio.Task[bytes]] = []
    try:
        for read in reads:
            tasks.append(asyncio.create_task(read))
            if len(tasks) > ahead:
                yield await tasks.pop(0)
        while tasks:
            yield await tasks.pop(0)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _piece(objects: Readable, part: str, start: int, size: int) -> bytes:
    with _missing():
        [body] = await objects.get_ranges(layout.content(part), [start], [size])
        return body


async def _checked(objects: Readable, part: str) -> bytes:
    for _ in range(ATTEMPTS):
        with _missing():
            body = await objects.get(layout.content(part))
        if await in_thread(_sha256, body) == part:
            return body
    raise Damaged(IS_DAMAGED)


@contextmanager
def _missing() -> Iterator[None]:
    try:
        yield
    except NotFound as error:
        raise Damaged(IS_MISSING) from error


def damaged(entry: Entry, reason: str) -> Damaged:
    """Return the error of a file that cannot be read whole."""
    return Damaged(
        f"{printable(entry.path)} {reason}.",
        hint="Sync the dataset again, or restore the lake from a copy.",
    )


def _good(wanted: Sequence[str], bodies: Sequence[bytes]) -> dict[str, bytes]:
    return {
        sha256: body for sha256, body in zip(wanted, bodies, strict=True) if _sha256(body) == sha256
    }


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
