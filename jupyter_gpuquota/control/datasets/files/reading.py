"""Bytes of files of versions: from the cached copy, else from the lake, verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ....beneath import open_beneath
from ....errors import Damaged, NotFound, WrongState
from ....model.datasets.versions import SHOWN, Version
from ....store.entries import Entry, Location
from ....store.lake import layout
from ....store.lake.objects import Objects
from ....store.packs import PART
from ....store.paths import printable
from ....store.tasks import in_thread
from .spare import Spare

TreeOf = Callable[[str, str], Path | None]
"""The folder with the files of a cached version on this machine, None where there is none."""


class Source(NamedTuple):
    """Where a version is read: its lake, None if only members may open it, and its copy's files."""

    version: Version
    lake: Objects | None
    tree: Path | None


class Reader:
    """Reads bytes of files; parts of large ones are kept for a while, as each is hashed whole."""

    def __init__(self, spare: Spare) -> None:
        self._spare = spare

    async def read(
        self, source: Source, entry: Entry, location: Location, offset: int, size: int
    ) -> bytes:
        """Return some bytes of a file; fewer at its end.

        Raises WrongState where only a member's process reads the lake, Unavailable, Damaged.
        """
        size = max(min(size, entry.size - offset), 0)
        if source.tree:
            try:
                return await in_thread(_read, source.tree, entry.path, offset, size)
            except FileNotFoundError:
                pass  # cleared meanwhile, or in quarantine
        if not size:
            return b""
        if source.lake is None:
            raise _not_here(source.version)
        if location.pack:
            return (await self._packed(source.lake, entry, location))[offset : offset + size]
        return await self._parts(source.lake, entry, location, offset, size)

    async def _packed(self, lake: Objects, entry: Entry, location: Location) -> bytes:
        try:
            (body,) = await lake.get_ranges(
                layout.pack(location.pack), [location.offset], [entry.size]
            )
        except NotFound as error:
            raise _damaged(entry) from error
        if hashlib.sha256(body).hexdigest() != entry.sha256:
            raise _damaged(entry)
        return body

    async def _parts(
        self, lake: Objects, entry: Entry, location: Location, offset: int, size: int
    ) -> bytes:
        found = []
        for number in range(offset // PART, (offset + size - 1) // PART + 1):
            if number >= len(location.parts):
                raise _damaged(entry)
            path = await self._part(lake, entry, location.parts[number])
            start = max(offset - number * PART, 0)
            stop = min(offset + size - number * PART, PART)
            found.append(await in_thread(_read, path.parent, path.name, start, stop - start))
        return b"".join(found)

    async def _part(self, lake: Objects, entry: Entry, part: str) -> Path:
        """Return the file of a part that was verified."""

        async def fetch() -> bytes:
            try:
                body = await lake.get(layout.content(part))
            except NotFound as error:
                raise _damaged(entry) from error
            if (await in_thread(hashlib.sha256, body)).hexdigest() != part:
                raise _damaged(entry)
            return body

        return await self._spare.get(part, fetch)


def _read(tree: Path, path: str, offset: int, size: int) -> bytes:
    """Return bytes of a file below a folder; links are not followed."""
    with os.fdopen(open_beneath(tree, path), "rb") as file:
        file.seek(offset)
        return file.read(size)


def _damaged(entry: Entry) -> Damaged:
    return Damaged(
        f"{printable(entry.path)} in the lake is not what its version says.",
        hint="Verify the version: jupyter gpu data verify.",
    )


def _not_here(version: Version) -> WrongState:
    name = f"{version.dataset}@{version.id[:SHOWN]}"
    return WrongState(
        f"{name} is in a member's own lake, and not cached.",
        hint=f"Cache it first: jupyter gpu data cache {name}.",
    )
