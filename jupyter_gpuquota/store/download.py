"""Writing a version from a lake into a folder, every file verified."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from ..errors import Damaged
from .entries import FOLDER, LINK, Entry, Location
from .lake import layout
from .lake.objects import Objects
from .modes import READ_ONLY, Modes, create
from .paths import printable
from .progress import Meter, Report
from .tasks import in_thread, together

Located = tuple[Entry, Location]

Reuse = Callable[[Entry, Path], bool]
"""Makes a file of a version from what is on this machine; returns False where that is impossible,
and the file does not exist then."""

_PACKS = 4
"""Packs that are fetched at once: each is up to 33 MiB in memory."""
_FILES = 4
"""Large files that are fetched at once, one part of each at a time."""

_BLOCK = 64 << 10
_ZEROS = memoryview(bytes(_BLOCK))


class Download:
    """One download of a version into a folder that is empty at first, or partly filled.

    `reuse` is asked for each file before it is fetched.
    """

    def __init__(
        self,
        objects: Objects,
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

    async def run(self, entries: Sequence[Located]) -> None:
        """Write all entries.

        :raises Damaged: an object of the lake is missing, or is not what its hash says.
        """
        files = [entry for entry, _ in entries if entry.is_file]
        self._meter.add(all_files=len(files), all_bytes=sum(entry.size for entry in files))
        packed, large = await in_thread(self._prepare, entries)
        packs, whole = asyncio.Semaphore(_PACKS), asyncio.Semaphore(_FILES)
        await together(
            [
                *(self._fetch_pack(pack, held, packs) for pack, held in packed.items()),
                *(self._fetch_file(entry, location, whole) for entry, location in large),
            ]
        )

    def _prepare(
        self, entries: Sequence[Located]
    ) -> tuple[dict[str, list[Located]], list[Located]]:
        """Make folders, links and empty files; return what is to be fetched, by pack."""
        packed: dict[str, list[Located]] = defaultdict(list)
        large = []
        made: set[str] = set()
        for entry, location in entries:
            folder = entry.path if entry.mode == FOLDER else entry.path.rpartition("/")[0]
            if folder not in made:
                (self._root / folder).mkdir(parents=True, exist_ok=True)
                made.add(folder)
            if entry.mode == LINK:
                _link(self._root / entry.path, entry.target)
            elif entry.is_file and self._made(entry):
                self._meter.add(files=1, bytes=entry.size)
            elif entry.is_file and location.pack:
                packed[location.pack].append((entry, location))
            elif entry.is_file:
                large.append((entry, location))
        return packed, large

    def _made(self, entry: Entry) -> bool:
        return self._reuse is not None and self._reuse(entry, self._root / entry.path)

    async def _fetch_pack(
        self, pack: str, held: Sequence[Located], limit: asyncio.Semaphore
    ) -> None:
        ordered = sorted(held, key=lambda each: each[1].offset)
        # Equal files are read once.
        places = {(at.offset, entry.size) for entry, at in ordered}
        starts, sizes = zip(*sorted(places), strict=True)
        async with limit:
            bodies = await self._objects.get_ranges(layout.pack(pack), starts, sizes)
            found = dict(zip(sorted(places), bodies, strict=True))
            await in_thread(self._write_all, ordered, found)

    def _write_all(self, held: Iterable[Located], found: dict[tuple[int, int], bytes]) -> None:
        for entry, location in held:
            body = found[location.offset, entry.size]
            _check(entry, hashlib.sha256(body).hexdigest())
            with self._new(entry) as file:
                file.write(body)
            self._meter.add(files=1, bytes=entry.size, moved=entry.size)

    async def _fetch_file(self, entry: Entry, location: Location, limit: asyncio.Semaphore) -> None:
        digest = hashlib.sha256()
        async with limit:
            with await in_thread(self._new, entry) as file:
                for part in location.parts:
                    body = await self._objects.get(layout.content(part))
                    await in_thread(_write_sparse, file, body)
                    digest.update(body)
                    self._meter.add(bytes=len(body), moved=len(body))
                file.truncate(entry.size)
        _check(entry, digest.hexdigest())
        self._meter.add(files=1)

    def _new(self, entry: Entry) -> BinaryIO:
        """Return a new file, open for writing, that nobody else may write."""
        return create(self._root / entry.path, self._modes.of(entry))


def _link(path: Path, target: str) -> None:
    """Make a symbolic link, in the place of one that a dead process may have left."""
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def _write_sparse(file: BinaryIO, body: bytes) -> None:
    """Write bytes; blocks of zeros become holes."""
    view = memoryview(body)
    for start in range(0, len(body), _BLOCK):
        block = view[start : start + _BLOCK]
        if block == _ZEROS[: len(block)]:
            file.seek(len(block), os.SEEK_CUR)
        else:
            file.write(block)


def _check(entry: Entry, sha256: str) -> None:
    if sha256 != entry.sha256:
        raise Damaged(
            f"{printable(entry.path)} in the lake is not what its version says.",
            hint="Sync the dataset again, or restore the lake from a copy.",
        )
