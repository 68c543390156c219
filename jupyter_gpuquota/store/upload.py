"""Storing a folder in a lake: only what the lake does not hold is sent.

A process that ends meanwhile leaves packs and objects that no version needs yet. The next upload
finds them in the lake and goes on from there; what files contained is in the catalog.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from ..errors import Damaged
from . import lines, manifest, reading
from .catalog import Catalog, identity
from .disk import failures
from .disk.failures import NOT_WHOLE
from .entries import FOLDER, LINK, NOWHERE, Entry, Located, Location
from .lake import layout
from .lake.history import Stats
from .lake.objects import Objects
from .packs import PART, SMALL, Loose, Pack, Packer, encode_index
from .progress import Meter, Report
from .reading import Content, Watch
from .sources import BATCH, Folder, Source
from .tasks import Background, in_thread
from .tree import Found

Offer = Callable[[str, bytes], Awaitable[None]]
"""Is given the sha256 and the bytes of a part, and may keep them."""


async def read(
    path: Path, offer: Offer, watch: Watch | None = None
) -> tuple[Content, os.stat_result]:
    """Return the content of a file that nobody writes meanwhile, and the file's state.

    Each part is offered as soon as it is read. Those of a file that changes are offered in vain:
    they are named by what they contain.

    :raises Conflict: the file changed during each of three attempts.
    :raises StorageFailed: it cannot be read.
    """
    for _ in range(reading.ATTEMPTS):
        with failures.reading(path):
            file = await in_thread(path.open, "rb")
        with file:
            number = file.fileno()
            before = await in_thread(watch.begin, number) if watch else os.fstat(number)
            if before is None:
                break
            content = await _read(path, file, offer)
            after = os.fstat(file.fileno())
        if reading.identity(before) == reading.identity(after):
            return content, after
    raise reading.changing(path)


async def _read(path: Path, file: BinaryIO, offer: Offer) -> Content:
    total, size, parts = hashlib.sha256(), 0, []
    while body := await in_thread(_part, path, file):
        # Two threads: hashing does not hold the interpreter's lock.
        part, _ = await asyncio.gather(in_thread(_sha256, body), in_thread(total.update, body))
        parts.append(part)
        size += len(body)
        await offer(part, body)
    return Content(size, total.hexdigest(), tuple(parts))


def _part(path: Path, file: BinaryIO) -> bytes:
    with failures.reading(path):
        return file.read(PART)


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


class Spool:
    """Entries in the order in which they were added; large files with their parts."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, entry: Entry, location: Location = NOWHERE) -> None:
        """Add an entry."""
        self._file.write(lines.encode(entry, location) + b"\n")

    def __iter__(self) -> Iterator[tuple[Entry, Location]]:
        """Yield all entries from the first one."""
        self._file.seek(0)
        yield from map(lines.decode, self._file)


@contextmanager
def spool() -> Iterator[Spool]:
    """Return an empty spool, which is gone afterwards."""
    with TemporaryFile(prefix="gpuquota-") as file:
        yield Spool(file)


_SENDING = 4
"""Objects that are sent at once: each is up to 64 MiB in memory."""


class Uploaded(msgspec.Struct, frozen=True):
    """A version whose manifest and contents are in the lake."""

    version: str
    stats: Stats


class Upload:
    """One upload of a folder."""

    def __init__(self, objects: Objects, catalog: Catalog, report: Report) -> None:
        self._objects = objects
        self._catalog = catalog
        self._meter = Meter(report)
        self._watch: Watch
        self._packer = Packer()
        self._packing: set[str] = set()
        self._read_now: list[tuple[os.stat_result, Content]] = []
        self._sent: set[str] = set()
        self._stats = Stats()

    async def run(self, source: Source | Path) -> Uploaded:
        """Store what a folder contains, and return its version.

        :raises InvalidFields: paths that a version cannot contain; all of them, nothing is stored.
        :raises Conflict: a file does not stop changing.
        """
        if isinstance(source, Path):
            source = Folder(source)
        self._watch = await in_thread(Watch)
        count, size = await in_thread(source.survey)
        self._meter.add(all_files=count, all_bytes=size)
        with spool() as entries:
            # Files are read while others are sent.
            async with Background(_SENDING) as sends:
                async for batch in source.batches():
                    await self._store(source, batch, entries, sends)
                await in_thread(source.check)
                if last := self._packer.rest():
                    await sends.start(self._send_pack, last)
            version, body = await in_thread(self._manifest, entries)
        # What a manifest names is on the disk before it.
        await self._objects.flush()
        await self._objects.create(layout.manifest(version), body)
        sent = self._meter.progress.moved
        return Uploaded(version, replace(self._stats, added=sent))

    async def _store(
        self, source: Source, batch: Sequence[Found], entries: Spool, sends: Background
    ) -> None:
        """Send what the lake lacks of some files, and note their entries."""
        contents, packs = await in_thread(self._read, source, batch)
        for pack in packs:
            await sends.start(self._send_pack, pack)
        for each in batch:
            # The file may be gone with the next batch: what is to be sent is read now.
            content = contents.get(each.path)
            if each.mode not in {LINK, FOLDER} and each.path not in contents:
                content = await self._stream(source, each, sends)
            elif content:
                content = await self._send_parts(source, each, content, sends)
            if content or each.mode in {LINK, FOLDER}:
                entries.add(*_entry(each, content))

    def _read(
        self, source: Source, batch: Sequence[Found]
    ) -> tuple[dict[str, Content | None], list[Loose]]:
        """Return what files contain, unless they are large and unread, and the packs to send.

        A file without a content is left out of the version.
        """
        files = [each for each in batch if each.mode not in {LINK, FOLDER}]
        told = [each.stat for each in files if each.stat and self._watch.tells(each.stat)]
        known = self._catalog.contents(told)
        contents: dict[str, Content | None] = {}
        bodies: dict[str, bytes] = {}
        reading.ahead(
            source.path(each)
            for each in files
            if each.stat and each.stat.st_size < SMALL and identity(each.stat) not in known
        )
        for found in files:
            content = known.get(identity(found.stat)) if found.stat else None
            if content is None and found.stat and found.stat.st_size >= SMALL:
                continue
            if content is None:
                content, body = self._look(source, found)
                if content and body and content.sha256 not in self._packing:
                    bodies[content.sha256] = body
            contents[found.path] = content
        read = [each for each in contents.values() if each]
        self._meter.add(files=len(contents), bytes=sum(each.size for each in read))
        self._remember()
        return contents, self._packed(bodies)

    def _packed(self, bodies: dict[str, bytes]) -> list[Loose]:
        """Add the small files that the lake lacks to packs; return those that are complete."""
        there = self._catalog.locations(bodies)
        missing = {sha256: body for sha256, body in bodies.items() if sha256 not in there}
        self._packing.update(missing)
        packs = (self._packer.collect(sha256, body) for sha256, body in missing.items())
        return [pack for pack in packs if pack]

    async def _send_parts(
        self, source: Source, found: Found, content: Content, sends: Background
    ) -> Content | None:
        """Send those parts of a file that the lake lacks; return what the file contains now."""
        for number in self._missing(content):
            part = content.parts[number]
            try:
                body = await in_thread(_read_part, source.path(found), number, part)
            except NOT_WHOLE as error:
                other = source.instead(found, error)
                return await self._stream(source, other, sends) if other else None
            await self._send(part, body, sends)
        return content

    async def _stream(self, source: Source, found: Found, sends: Background) -> Content | None:
        """Read a large file, and send its parts meanwhile; None if it is left out."""

        async def offer(part: str, body: bytes) -> None:
            self._meter.add(bytes=len(body))
            await self._send(part, body, sends)

        try:
            content, stats = await read(source.path(found), offer, self._watched(source, found))
        except NOT_WHOLE as error:
            other = source.instead(found, error)
            return await self._stream(source, other, sends) if other else None
        if known := self._known(source, found, stats):
            self._catalog.remember([(known, content)])
        self._meter.add(files=1)
        return content

    def _watched(self, source: Source, found: Found) -> Watch | None:
        return self._watch if source.is_live(found) else None

    def _known(self, source: Source, found: Found, stats: os.stat_result) -> os.stat_result | None:
        """Return by which state a file is known later, None if it must be read again."""
        known = source.state(found, stats)
        return known if known and self._watch.tells(known) else None

    async def _send(self, part: str, body: bytes, sends: Background) -> None:
        """Send a part of a file soon, unless the lake has it or will have it."""
        if part not in self._sent and self._catalog.missing([part]):
            self._sent.add(part)
            await sends.start(self._send_content, part, body)

    def _remember(self) -> None:
        """Note what small files contain, all at once: reading them must not lock the catalog."""
        if self._read_now:
            with self._catalog.batch():
                self._catalog.remember(self._read_now)
        self._read_now = []

    def _look(self, source: Source, found: Found) -> tuple[Content | None, bytes]:
        """Read a file; return its content, and its bytes if it is small."""
        try:
            watch = self._watched(source, found)
            path, read = source.path(found), reading.small_or_hashed
            (content, body), stats = reading.whole(path, read, watch)
        except NOT_WHOLE as error:
            other = source.instead(found, error)
            return self._look(source, other) if other else (None, b"")
        if known := self._known(source, found, stats):
            self._read_now.append((known, content))
        return content, body

    def _missing(self, content: Content) -> list[int]:
        """Return the numbers of the parts that the lake does not hold."""
        if content.size < SMALL:
            return []
        missing = set(self._catalog.missing(content.parts))
        return [number for number, part in enumerate(content.parts) if part in missing]

    async def _send_pack(self, loose: Loose) -> None:
        pack = await in_thread(loose.pack)
        await self._objects.create(layout.pack(pack.sha256), pack.body, durable=False)
        index = encode_index(pack.held)
        await self._objects.create(layout.index(pack.sha256), index, durable=False)
        await in_thread(self._note_pack, pack)
        self._meter.add(moved=len(pack.body))

    async def _send_content(self, part: str, body: bytes) -> None:
        await self._objects.create(layout.content(part), body, durable=False)
        await in_thread(self._catalog.add_objects, [part])
        self._meter.add(moved=len(body))

    def _note_pack(self, pack: Pack) -> None:
        with self._catalog.batch():
            self._catalog.add_pack(pack.sha256, pack.held)

    def _manifest(self, entries: Spool) -> tuple[str, bytes]:
        """Return the id and the manifest, with the location of every file."""
        return manifest.encode(self._located(entries))

    def _located(self, entries: Iterable[Located]) -> Iterator[Located]:
        """Yield entries with their locations; packs are sent by now."""
        iterator = iter(entries)
        while some := list(itertools.islice(iterator, BATCH)):
            small = [entry.sha256 for entry, at in some if entry.size and not at.parts]
            found = self._catalog.locations(small)
            sizes = [entry.size for entry, _ in some if entry.is_file]
            now = self._stats
            self._stats = Stats(files=now.files + len(sizes), bytes=now.bytes + sum(sizes))
            for entry, at in some:
                if not entry.size or at.parts:
                    yield entry, at
                elif location := found.get(entry.sha256):
                    yield entry, location
                else:
                    name = entry.path
                    raise Damaged(f"{name} was stored, but the catalog has lost its location.")


def _entry(found: Found, content: Content | None) -> Located:
    """Return the entry of a path, with its location if it is a large file."""
    if content is None:
        return Entry(found.path, found.mode, target=found.target), NOWHERE
    parts = content.parts if content.size >= SMALL else ()
    return Entry(found.path, found.mode, content.size, content.sha256), Location(parts=parts)


def _read_part(path: Path, number: int, part: str) -> bytes:
    """Return a part of a file. Raises Conflict if it is not that part any more."""
    with failures.reading(path), path.open("rb") as file:
        file.seek(number * PART)
        body = file.read(PART)
    if hashlib.sha256(body).hexdigest() != part:
        raise reading.changing(path)
    return body
