"""Writing a version from a lake into a folder, every file verified."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from ..errors import Damaged
from . import fetch
from .commits import Stats
from .disk.case import ignores_case, refuse_clashes
from .disk.files import READ_ONLY, Modes, create, write_small, write_sparse
from .entries import FOLDER, LINK, Entry, Located, Location
from .lake.objects import Readable
from .progress import Meter, Report
from .tasks import in_thread, together

Reuse = Callable[[Entry, Path], bool]
"""Makes a file of a version from what is on this machine; returns False where that is impossible,
and the file does not exist then."""


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
        self._packs = asyncio.Semaphore(fetch.PACKS)
        self._files = asyncio.Semaphore(fetch.FILES)

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
        for window in fetch.windows(entries):
            packed, large = fetch.by_pack(await in_thread(self._prepare, window))
            await together(
                [
                    *(self._fetch_pack(pack, held) for pack, held in packed.items()),
                    *(self._fetch_file(entry, location) for entry, location in large),
                ]
            )

    def _prepare(self, entries: Iterable[Located]) -> list[Located]:
        """Make folders, links, and files that are here; return those that are to be fetched."""
        made: set[str] = set()
        rest = []
        for entry, location in entries:
            folder = entry.path if entry.mode == FOLDER else entry.path.rpartition("/")[0]
            if folder not in made:
                (self._root / folder).mkdir(parents=True, exist_ok=True)
                made.add(folder)
            if entry.mode == LINK:
                _link(self._root / entry.path, entry.target)
            elif entry.is_file and self._made(entry):
                self._meter.add(files=1, bytes=entry.size)
            elif entry.is_file:
                rest.append((entry, location))
        return rest

    def _made(self, entry: Entry) -> bool:
        return self._reuse is not None and self._reuse(entry, self._root / entry.path)

    async def _fetch_pack(self, pack: str, held: Sequence[Located]) -> None:
        async with self._packs:
            read = await fetch.small(self._objects, pack, held)
            for entry, _ in held:
                if why := read.bad.get(entry.sha256):
                    raise fetch.damaged(entry, why)
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
                    await fetch.large(self._objects, entry, location, self._meter, take)
                except Damaged as error:
                    raise fetch.damaged(entry, error.message) from error
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
