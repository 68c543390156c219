"""Manifests of versions: copies beside the controller, read from lakes once."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ...errors import Damaged, NotFound, Unavailable
from ...store import manifest
from ...store.lake import layout
from ...store.lake.objects import Objects
from ...store.tasks import in_thread
from .shelf import Shelf


class Summary(msgspec.Struct, frozen=True):
    """What a manifest contains: files and their bytes."""

    files: int
    size: int


class Manifests:
    """The copies in the controller's own objects."""

    def __init__(self, own: Objects) -> None:
        self._own = own

    async def get(self, version: str, shelf: Shelf) -> bytes:
        """Return a manifest: the copy, or that of the lake, which is checked and copied.

        Raises Unavailable, NotAllowed, and Damaged if it is not that of the version.
        """
        key = layout.manifest(version)
        try:
            return await self._own.get(key)
        except NotFound:
            if shelf.objects is self._own:
                raise Unavailable(
                    f"The manifest of version {version[:12]} is not known here.",
                    hint="Sync the dataset again, without changes: that reports it.",
                ) from None
        try:
            body = await shelf.objects.get(key)
        except NotFound as error:
            raise Damaged(
                f"The lake has lost the manifest of version {version[:12]}.",
                hint="Sync the folder again, or restore the lake from a copy.",
            ) from error
        await self.put(version, body)
        return body

    async def put(self, version: str, body: bytes) -> Summary:
        """Keep a copy, and return what it contains. Raises Damaged, StorageFailed, Unavailable."""
        found = await in_thread(summary, version, body)
        await self._own.put(layout.manifest(version), body)
        return found

    async def drop(self, version: str) -> None:
        """Remove a copy."""
        await self._own.delete([layout.manifest(version)])


def summary(version: str, body: bytes) -> Summary:
    """Return what a manifest contains. Raises Damaged if it is not that of the version."""
    files = list(_sizes(version, body))
    return Summary(len(files), sum(files))


def _sizes(version: str, body: bytes) -> Iterator[int]:
    for entry, _ in manifest.decode([body], version):
        if entry.is_file:
            yield entry.size
