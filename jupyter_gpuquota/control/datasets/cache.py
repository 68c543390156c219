"""What the controller needs of a cache, and the cache in a folder of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ...model.datasets.caches import CachedVersion, Pin
from ...store.cache import index, sweep
from ...store.cache.places import place
from ...store.disk import failures
from ...store.tasks import in_thread

_SHARE = 0.8
"""The share of its file system that a cache may take where no capacity is configured."""


class Cache(Protocol):
    """One cache. All methods raise StorageFailed where it cannot be read or written."""

    @property
    def root(self) -> Path | None:
        """The folder of the cache on this machine, None if there is none."""

    async def read(self) -> Sequence[CachedVersion]:
        """Return every version in the cache, without leases."""

    async def space(self) -> tuple[int, int]:
        """Return the bytes that the cache may have, and those that are free on its disk."""

    async def evict(self, dataset: str, version: str, now: datetime) -> bool:
        """Remove a version; return whether it was there. Raises InUse if it is pinned."""

    async def pin(self, dataset: str, version: str, pin: Pin) -> None:
        """Set a user's pin."""

    async def unpin(self, dataset: str, version: str, user: str) -> None:
        """Remove a user's pin. Raises NotFound."""

    async def use(self, dataset: str, version: str, now: datetime) -> None:
        """Note that a session uses a version now."""

    async def sweep(self) -> None:
        """Remove what dead processes have left."""


class FolderCache:
    """The cache in a folder; `capacity` in bytes, 0 for a share of its file system."""

    def __init__(self, root: Path, capacity: int = 0) -> None:
        self._root = root
        self._capacity = capacity

    @property
    def root(self) -> Path | None:
        """The folder of the cache."""
        return self._root

    async def read(self) -> Sequence[CachedVersion]:
        """Return every version in the cache, without leases. Raises StorageFailed."""
        return await in_thread(self._read)

    async def space(self) -> tuple[int, int]:
        """Return the capacity, and the free bytes of the disk. Raises StorageFailed."""
        return await in_thread(self._space)

    async def evict(self, dataset: str, version: str, now: datetime) -> bool:
        """Remove a version; return whether it was there. Raises InUse, StorageFailed."""
        return await in_thread(sweep.evict, place(self._root, dataset, version), now)

    async def pin(self, dataset: str, version: str, pin: Pin) -> None:
        """Set a user's pin. Raises StorageFailed."""
        await in_thread(index.pin, place(self._root, dataset, version), pin)

    async def unpin(self, dataset: str, version: str, user: str) -> None:
        """Remove a user's pin. Raises NotFound, StorageFailed."""
        await in_thread(index.unpin, place(self._root, dataset, version), user)

    async def use(self, dataset: str, version: str, now: datetime) -> None:
        """Note that a session uses a version now. Raises StorageFailed."""
        await in_thread(index.use, place(self._root, dataset, version), now)

    async def sweep(self) -> None:
        """Remove what dead processes have left. Raises StorageFailed."""
        if self._root.exists():
            await in_thread(sweep.sweep, self._root)

    def _read(self) -> list[CachedVersion]:
        with failures.storage(self._root):
            return index.read(self._root)

    def _space(self) -> tuple[int, int]:
        total = failures.total(self._root)
        capacity = min(self._capacity, total) if self._capacity else int(total * _SHARE)
        return capacity, failures.free(self._root)
