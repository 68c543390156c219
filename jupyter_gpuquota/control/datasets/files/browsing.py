"""The files of versions: listed, compared, read. The port `Contents`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection

from ....errors import FieldError, WrongState, refused
from ....model.datasets.files import (
    CompareQuery,
    Comparison,
    ContentChunk,
    DataFile,
    FilePreview,
    FileQuery,
)
from ....model.datasets.versions import Version
from ....model.struct import Page
from ....store import manifest
from ....store.entries import FOLDER, LINK
from ....store.lake.objects import Objects
from ....store.paths import printable
from ....store.tasks import in_thread
from ..manifests import Manifests
from ..shelf import Shelf
from . import comparing, entries
from .entries import Folder, Item, Located
from .listings import Build, Listings, opened
from .previews import Previews
from .reading import Reader, Source, TreeOf

LIMIT = 1000
"""Entries of a page at most."""
CHUNK = 1 << 20
"""Bytes of a file that are read at a time."""

ShelfOf = Callable[[str], tuple[Shelf, Objects | None]]
"""The shelf of a dataset, and its lake: None if only members may open it. Raises NotFound."""


class Browsing:
    """The files of versions, by their manifests."""

    def __init__(
        self,
        shelf_of: ShelfOf,
        manifests: Manifests,
        listings: Listings,
        reader: Reader,
        tree_of: TreeOf,
    ) -> None:
        self._shelf_of = shelf_of
        self._manifests = manifests
        self._listings = listings
        self._reader = reader
        self._tree_of = tree_of
        self._previews = Previews(reader)

    async def files(self, version: Version, path: str, query: FileQuery) -> Page[DataFile]:
        """Return a page of a folder. Raises NotFound, InvalidFields, Unavailable, Damaged."""
        start, limit = _start(query.cursor), _limit(query.limit)
        listing = await self._listing(version)
        total, items = await in_thread(_page, listing, path, query, start, limit)
        shown = tuple(map(_shown, items))
        return Page(
            items=shown,
            total=total,
            revision=version.id,
            next=str(start + len(shown)) if shown and start + len(shown) < total else "",
        )

    async def compare(self, before: Version, after: Version, query: CompareQuery) -> Comparison:
        """Return a page of what differs. Raises InvalidFields, Unavailable, Damaged."""
        start, limit = _start(query.cursor), _limit(query.limit)
        old, new = await self._listing(before), await self._listing(after)

        def build(db: Connection) -> None:
            with opened(old) as left, opened(new) as right:
                comparing.build(db, entries.every(left), entries.every(right))

        async def prepare() -> Build:
            return build

        name = f"{before.id[:32]}-{after.id[:32]}"
        listing = await self._listings.get(name, prepare)
        return await in_thread(comparing.page, listing, (before.id, after.id), query, start, limit)

    async def content(self, version: Version, path: str, offset: int) -> ContentChunk:
        """Return some bytes of a file. Raises NotFound, WrongState, Unavailable, Damaged."""
        if offset < 0:
            raise refused(FieldError("offset", "It must not be negative."))
        entry, location = await self._file(version, path)
        body = await self._reader.read(self._source(version), entry, location, offset, CHUNK)
        return ContentChunk(data=body, offset=offset, size=entry.size)

    async def preview(self, version: Version, path: str) -> FilePreview:
        """Return a preview of a file. Raises NotFound, WrongState, Unavailable, Damaged."""
        entry, location = await self._file(version, path)
        return await self._previews.of(self._source(version), entry, location)

    async def _file(self, version: Version, path: str) -> Located:
        listing = await self._listing(version)
        found = await in_thread(_entry, listing, path)
        if found[0].mode == LINK:
            target = printable(found[0].target)
            raise WrongState(
                f"{printable(path)} is a link to {target}.", hint="Read the file that it leads to."
            )
        if found[0].mode == FOLDER:
            raise WrongState(f"{printable(path)} is a folder.", hint="Name a file in it.")
        return found

    async def _listing(self, version: Version) -> Path:
        async def prepare() -> Build:
            shelf, _ = self._shelf_of(version.dataset)
            body = await self._manifests.get(version.id, shelf)
            return lambda db: entries.build(db, manifest.read(body))

        return await self._listings.get(version.id, prepare)

    def _source(self, version: Version) -> Source:
        _, lake = self._shelf_of(version.dataset)
        return Source(version, lake, self._tree_of(version.dataset, version.id))


def _page(
    listing: Path, path: str, query: FileQuery, start: int, limit: int
) -> tuple[int, list[Item]]:
    """Return how many entries a query has, and a page of them. Blocks."""
    with opened(listing) as db:
        if single := entries.single(db, path):
            return 1, list([single][start : start + limit])
        of = entries.folder(db, path)
        if query.match:
            total, found = entries.matching(db, of, query.match, start, limit)
            return total, list(found)
        if query.deep:
            return of.last - of.first + 1, list(entries.below(db, of, start, limit))
        return of.children, list(entries.children(db, of, start, limit))


def _entry(listing: Path, path: str) -> Located:
    with opened(listing) as db:
        return entries.entry(db, path)


def _shown(item: Item) -> DataFile:
    """Return an entry as it is sent."""
    if isinstance(item, Folder):
        path, raw = entries.spelled(os.fsencode(item.path))
        return DataFile(
            path=path,
            raw=raw,
            name=_name(item.path),
            kind="folder",
            size=item.size,
            files=item.files,
        )
    entry, _ = item
    path, raw = entries.spelled(os.fsencode(entry.path))
    empty = entry.mode == FOLDER
    return DataFile(
        path=path,
        raw=raw,
        name=_name(entry.path),
        kind="folder" if empty else "link" if entry.mode == LINK else "file",
        size=entry.size,
        files=0 if empty else 1,
        sha256=entry.sha256,
        executable=entry.executable,
        target=printable(entry.target),
    )


def _name(path: str) -> str:
    return printable(path.rpartition("/")[2])


def _start(cursor: str) -> int:
    """Return the number of entries before a page. Raises InvalidFields."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 16):
        raise refused(FieldError("cursor", "It is not of this list.", "Leave it empty to begin."))
    return int(cursor)


def _limit(limit: int) -> int:
    if limit < 1:
        raise refused(FieldError("limit", "It must be at least 1."))
    return min(limit, LIMIT)
