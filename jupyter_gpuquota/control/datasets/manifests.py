"""Manifests of versions: copies beside the controller, read from lakes once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from weakref import WeakValueDictionary

import msgspec

from ...errors import Damaged, NotFound, Unavailable
from ...store import manifest
from ...store.lake import layout
from ...store.lake.objects import Objects
from .shelf import Shelf

_THREADS = 2
"""Manifests that are checked at once; other work has other threads."""
_MOST = 1 << 62
"""The bytes of a version that can be counted."""


class Summary(msgspec.Struct, frozen=True):
    """What a manifest contains: files and their bytes."""

    files: int
    size: int


class Manifests:
    """The copies in the controller's own objects."""

    def __init__(self, own: Objects) -> None:
        self._own = own
        self._threads = ThreadPoolExecutor(_THREADS, "manifests")
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

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

    async def put(self, version: str, body: bytes, by: str = "") -> Summary:
        """Keep a copy, and return what it contains. Raises Damaged, StorageFailed, Unavailable.

        Of what one caller sends, one manifest is checked at a time; if the task is cancelled, the
        check ends.
        """
        stop = Event()
        async with self._turns.setdefault(by, asyncio.Lock()):
            loop = asyncio.get_running_loop()
            try:
                found = await loop.run_in_executor(self._threads, summary, version, body, stop)
            except asyncio.CancelledError:
                stop.set()
                raise
        await self._own.put(layout.manifest(version), body)
        return found

    async def drop(self, version: str) -> None:
        """Remove a copy."""
        await self._own.delete([layout.manifest(version)])


def summary(version: str, body: bytes, stop: Event) -> Summary:
    """Return what a manifest contains, and nothing true once it shall stop.

    Raises Damaged if it is not that of the version.
    """
    files = list(_sizes(version, body, stop))
    size = sum(files)
    if size > _MOST:
        raise Damaged(f"The manifest of version {version[:12]} has sizes that cannot be.")
    return Summary(len(files), size)


def _sizes(version: str, body: bytes, stop: Event) -> Iterator[int]:
    for entry, _ in manifest.decode([body], version):
        if stop.is_set():
            return
        if entry.is_file:
            yield entry.size
