"""Reading a version from a lake, and writing it into a folder, every file verified.

What arrives damaged is read again: the network may have done it. What is damaged each time is
damaged in the lake.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import uuid
from collections import defaultdict
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ..errors import Damaged, FieldError, InvalidFields, NotFound
from .disk.files import READ_ONLY, Modes, create, write_small, write_sparse
from .entries import FOLDER, LINK, Entry, Located, Location
from .lake import layout
from .lake.history import Stats
from .lake.objects import Readable
from .packs import PART
from .paths import clashes, printable
from .progress import Meter, Report
from .tasks import in_thread, together

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
_NAMED = 20
"""Pairs of paths that an error names at most."""
Make = Callable[[], bool]
"""Makes a file; returns False where that is impossible, and the file does not exist then."""
Reuse = Callable[[Entry, Path], Make | None]
"""Returns what makes a file of a version from what is on this machine, None if nothing does."""
_WORKERS = min(4, os.cpu_count() or 1)
_SHARE = 32
"""Files that a thread makes before it looks for more."""


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


def ignores_case(folder: Path) -> bool:
    """Return whether two names in a folder are one if they differ in case only."""
    probe = folder / f".case-{uuid.uuid4().hex}"
    probe.touch()
    try:
        return probe.with_name(probe.name.upper()).exists()
    finally:
        probe.unlink()


def refuse_clashes(paths: Iterable[str]) -> None:
    """Raise InvalidFields if two of some paths are one where case is ignored."""
    found = list(itertools.islice(clashes(paths), _NAMED))
    if found:
        raise InvalidFields(
            "This file system ignores case, and takes paths of this version for the same.",
            hint="Use another file system, or rename them and sync the dataset again.",
            fields=tuple(
                FieldError(printable(path), f"It is the same as {printable(other)}.")
                for other, path in found
            ),
        )


class Download:
    """One download of a version into a folder that is empty at first, or partly filled.

    `reuse` is asked for each file before it is fetched.
    """

    def __init__(
        self,
        objects: Readable,
        root: Path,
        report: Report,
        *,
        reuse: Reuse | None = None,
        modes: Modes = READ_ONLY,
    ) -> None:
        self._objects = objects
        self._root = root
        self._meter = Meter(report)
        self._reuse = reuse
        self._modes = modes
        self._packs = asyncio.Semaphore(PACKS)
        self._files = asyncio.Semaphore(FILES)

    async def run(self, entries: Iterable[Located], stats: Stats | None = None) -> None:
        """Write all entries, in constant memory if their `stats` are given.

        :raises Damaged: an object of the lake is missing, or is not what its hash says.
        :raises InvalidFields: the file system ignores case, and paths differ in nothing else.
        """
        if stats is None:
            entries = list(entries)
            stats = total(entries)
        if await in_thread(ignores_case, self._root):
            entries = list(entries)
            refuse_clashes(entry.path for entry, _ in entries)
        self._meter.add(all_files=stats.files, all_bytes=stats.bytes)
        for window in windows(entries):
            packed, large = by_pack(await in_thread(self._prepare, window))
            await together(
                [
                    *(self._fetch_pack(pack, held) for pack, held in packed.items()),
                    *(self._fetch_file(entry, location) for entry, location in large),
                ]
            )

    def _prepare(self, entries: Iterable[Located]) -> list[Located]:
        """Make folders, links, and files that are here; return those that are to be fetched."""
        made: set[str] = set()
        rest: list[Located] = []
        here: list[tuple[Located, Make]] = []
        for entry, location in entries:
            folder = entry.path if entry.mode == FOLDER else entry.path.rpartition("/")[0]
            if folder not in made:
                (self._root / folder).mkdir(parents=True, exist_ok=True)
                made.add(folder)
            path = self._root / entry.path
            if entry.mode == LINK:
                _link(path, entry.target)
            elif entry.is_file and self._reuse and (make := self._reuse(entry, path)):
                here.append(((entry, location), make))
            elif entry.is_file:
                rest.append((entry, location))
        return [*rest, *self._reused(here)]

    def _reused(self, here: Sequence[tuple[Located, Make]]) -> list[Located]:
        """Make files, in threads as they are hashed; return those that could not be made."""
        shares = [here[start : start + _SHARE] for start in range(0, len(here), _SHARE)]
        pool = ThreadPoolExecutor(_WORKERS)
        try:
            return [each for left in pool.map(self._made, shares) for each in left]
        finally:
            pool.shutdown(cancel_futures=True)

    def _made(self, share: Sequence[tuple[Located, Make]]) -> list[Located]:
        left = []
        for located, make in share:
            if make():
                self._meter.add(files=1, bytes=located[0].size)
            else:
                left.append(located)
        return left

    async def _fetch_pack(self, pack: str, held: Sequence[Located]) -> None:
        async with self._packs:
            read = await small(self._objects, pack, held)
            for entry, _ in held:
                if why := read.bad.get(entry.sha256):
                    raise damaged(entry, why)
            await in_thread(self._write_all, held, read.bodies)

    def _write_all(self, held: Iterable[Located], bodies: Mapping[str, bytes]) -> None:
        for entry, _ in held:
            write_small(self._root / entry.path, self._modes.of(entry), bodies[entry.sha256])
            self._meter.add(files=1, bytes=entry.size, moved=entry.size)

    async def _fetch_file(self, entry: Entry, location: Location) -> None:
        async with self._files:
            with self._new(entry) as file:

                async def take(offset: int, body: bytes) -> None:
                    await in_thread(_write, file, offset, body)

                try:
                    await large(self._objects, entry, location, self._meter, take)
                except Damaged as error:
                    raise damaged(entry, error.message) from error
                file.truncate(entry.size)
        self._meter.add(files=1)

    def _new(self, entry: Entry) -> BinaryIO:
        """Return a new file, open for writing, that nobody else may write."""
        return create(self._root / entry.path, self._modes.of(entry))


def total(entries: Iterable[Located]) -> Stats:
    """Return how many files some entries are, and their bytes."""
    files = size = 0
    for entry, _ in entries:
        files += entry.is_file
        size += entry.size if entry.is_file else 0
    return Stats(files=files, bytes=size)


def _write(file: BinaryIO, offset: int, body: bytes) -> None:
    """Write a part of a file after the one before; the first one empties it."""
    if not offset:
        file.seek(0)
        file.truncate()
    write_sparse(file, body)


def _link(path: Path, target: str) -> None:
    """Make a symbolic link, in the place of one that a dead process may have left."""
    path.unlink(missing_ok=True)
    path.symlink_to(target)
