"""Storing a folder in a lake: only what the lake does not hold is sent.

A process that ends meanwhile leaves packs and objects that no version needs yet. The next upload
finds them in the lake and goes on from there; what files contained is in the catalog.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..errors import Damaged
from . import manifest, reading
from .catalog import Catalog
from .commits import Stats
from .disk import failures
from .entries import FOLDER, LINK, Entry, Location
from .lake import layout
from .lake.objects import Objects
from .packs import PART, SMALL, Pack, Packer, encode_index
from .progress import Meter, Report
from .reading import Content
from .sources import Folder, Source
from .spool import Spool, spool
from .tasks import Background, in_thread, together
from .tree import Found

_SENDING = 4
"""Objects that are sent at once: each is up to 64 MiB in memory."""


class Uploaded(msgspec.Struct, frozen=True):
    """A version whose manifest and contents are in the lake."""

    version: str
    stats: Stats


class _Large(NamedTuple):
    """A file whose parts, or some of them, the lake does not hold."""

    path: Path
    content: Content


class Upload:
    """One upload of a folder."""

    def __init__(self, objects: Objects, catalog: Catalog, report: Report) -> None:
        self._objects = objects
        self._catalog = catalog
        self._meter = Meter(report)
        self._packer = Packer()
        self._packing: set[str] = set()
        self._read_now: list[tuple[os.stat_result, Content]] = []
        self._seen = 0
        self._sending = asyncio.Semaphore(_SENDING)

    async def run(self, source: Source | Path) -> Uploaded:
        """Store what a folder contains, and return its version.

        :raises InvalidFields: paths that a version cannot contain; all of them, nothing is stored.
        :raises Conflict: a file does not stop changing.
        """
        if isinstance(source, Path):
            source = Folder(source)
        count, size = await in_thread(source.survey)
        self._meter.add(all_files=count, all_bytes=size)
        with spool() as entries:
            # Files are read while packs are sent.
            async with Background(_SENDING) as sends:
                async for batch in source.batches():
                    for pack in await self._store(source, batch, entries):
                        await sends.start(self._send_pack, pack)
                if last := self._packer.finish():
                    await sends.start(self._send_pack, last)
            version, body = await in_thread(self._manifest, entries)
        await self._objects.create(layout.manifest(version), body)
        sent = self._meter.progress.moved
        return Uploaded(version, Stats(files=count, bytes=size, added=sent))

    async def _store(
        self, source: Source, batch: Sequence[Found], entries: Spool
    ) -> Sequence[Pack]:
        """Send the large files of a batch; return the packs that its small files complete."""
        packs, large = await in_thread(self._read, source, batch, entries)
        parts = [(file, number) for file in large for number in self._missing(file.content)]
        await together(self._send_part(file, number) for file, number in parts)
        return packs

    def _read(
        self, source: Source, batch: Sequence[Found], entries: Spool
    ) -> tuple[list[Pack], list[_Large]]:
        """Read what is not known of some files; return the packs and files to send."""
        packs, large = [], []
        for found in batch:
            if found.mode in {LINK, FOLDER}:
                entries.add(Entry(found.path, found.mode, target=found.target))
                continue
            path = source.path(found)
            content = self._known(found)
            if content is None:
                content, pack = self._look(path, found)
                packs += [pack] if pack else []
            if content.size >= SMALL:
                large.append(_Large(path, content))
            location = Location(parts=content.parts if content.size >= SMALL else ())
            entries.add(Entry(found.path, found.mode, content.size, content.sha256), location)
            self._meter.add(files=1, bytes=content.size - self._seen)
            self._seen = 0
        self._remember()
        return packs, large

    def _remember(self) -> None:
        """Note what small files contain, all at once: reading them must not lock the catalog."""
        with self._catalog.batch():
            for stats, content in self._read_now:
                self._catalog.remember(stats, content)
        self._read_now = []

    def _tick(self, count: int) -> None:
        """Note that bytes of a large file were read."""
        self._seen += count
        self._meter.add(bytes=count)

    def _known(self, found: Found) -> Content | None:
        """Return the content of a file that need not be read."""
        content = self._catalog.content(found.stat) if found.stat else None
        if content and (content.size >= SMALL or self._catalog.location(content)):
            return content
        return None

    def _look(self, path: Path, found: Found) -> tuple[Content, Pack | None]:
        """Read a file; return its content, and the pack that it completes."""
        (content, body), stats = reading.whole(
            path, lambda file: reading.small_or_hashed(file, self._tick)
        )
        if content.size >= SMALL:
            self._catalog.remember(stats, content)
        else:
            self._read_now.append((stats, content))
        if not body or content.sha256 in self._packing or self._catalog.location(content):
            return content, None
        self._packing.add(content.sha256)
        return content, self._packer.add(content.sha256, body)

    def _missing(self, content: Content) -> list[int]:
        """Return the numbers of the parts that the lake does not hold."""
        missing = set(self._catalog.missing(content.parts))
        return [number for number, part in enumerate(content.parts) if part in missing]

    async def _send_pack(self, pack: Pack) -> None:
        await self._objects.create(layout.pack(pack.sha256), pack.body)
        await self._objects.create(layout.index(pack.sha256), encode_index(pack.held))
        with self._catalog.batch():
            self._catalog.add_pack(pack.sha256, pack.held)
        self._meter.add(moved=len(pack.body))

    async def _send_part(self, file: _Large, number: int) -> None:
        part = file.content.parts[number]
        async with self._sending:
            body = await in_thread(_read_part, file.path, number)
            if hashlib.sha256(body).hexdigest() != part:
                raise reading.changing(file.path)
            await self._objects.create(layout.content(part), body)
        with self._catalog.batch():
            self._catalog.add_objects([part])
        self._meter.add(moved=len(body))

    def _manifest(self, entries: Spool) -> tuple[str, bytes]:
        """Return the id and the manifest, with the location of every file."""
        return manifest.encode((entry, self._located(entry, at)) for entry, at in entries)

    def _located(self, entry: Entry, location: Location) -> Location:
        if location.parts or not entry.size:
            return location
        found = self._catalog.location(Content(entry.size, entry.sha256, (entry.sha256,)))
        if found is None:
            raise Damaged(f"{entry.path} was stored, but the catalog has lost its location.")
        return found


def _read_part(path: Path, number: int) -> bytes:
    with failures.reading(path), path.open("rb") as file:
        file.seek(number * PART)
        return file.read(PART)
