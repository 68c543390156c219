"""Re-hashing all that a version consists of in its lake."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

import msgspec

from ..errors import Damaged
from . import fetch
from .entries import Entry, Located, Location
from .lake.history import Stats
from .lake.objects import Objects
from .progress import Meter, Report
from .tasks import together


class Bad(msgspec.Struct, frozen=True):
    """One file that is not in the lake as its version says."""

    path: str
    problem: str


class Verification:
    """One check of a version, in constant memory; its `stats` are the totals of its progress."""

    def __init__(self, objects: Objects, report: Report, stats: Stats | None = None) -> None:
        self._objects = objects
        self._meter = Meter(report)
        if stats:
            self._meter.add(all_files=stats.files, all_bytes=stats.bytes)
        self._packs = asyncio.Semaphore(fetch.PACKS)
        self._files = asyncio.Semaphore(fetch.FILES)

    async def run(self, entries: Iterable[Located]) -> AsyncIterator[Bad]:
        """Yield all files that are damaged or missing, window by window.

        :raises Unavailable: the lake does not answer.
        """
        for window in fetch.windows(entries):
            packed, large = fetch.by_pack(window)
            found: list[Bad] = []
            await together(
                [
                    *(self._check_pack(pack, held, found) for pack, held in packed.items()),
                    *(self._check_file(entry, location, found) for entry, location in large),
                ]
            )
            for each in sorted(found, key=lambda bad: bad.path):
                yield each

    async def _check_pack(self, pack: str, held: Sequence[Located], found: list[Bad]) -> None:
        async with self._packs:
            read = await fetch.small(self._objects, pack, held)
        found += [
            Bad(entry.path, read.bad[entry.sha256]) for entry, _ in held if entry.sha256 in read.bad
        ]
        size = sum(entry.size for entry, _ in held)
        self._meter.add(files=len(held), bytes=size, moved=sum(map(len, read.bodies.values())))

    async def _check_file(self, entry: Entry, location: Location, found: list[Bad]) -> None:
        async with self._files:
            try:
                await fetch.large(self._objects, entry, location, self._meter, _drop)
            except Damaged as error:
                found.append(Bad(entry.path, error.message))
        self._meter.add(files=1)


async def _drop(offset: int, body: bytes) -> None:
    """Take a part that is not needed any more: it is hashed already."""
