"""What keeps versions: sessions that use them, and pins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from ...core.datasets.eviction import kept_by_pin
from ...errors import InUse
from ...model.datasets.caches import CachedVersion, Lease
from ...model.datasets.versions import SHOWN
from ...ports.datasets import Caches
from ...store.cache.places import place

Leases = Callable[[], Mapping[tuple[str, str], Sequence[Lease]]]
"""The sessions that use versions or wait for them, by dataset and id."""


class Uses:
    """The uses of versions, by a backend's caches and its sessions."""

    def __init__(self, caches: Caches, leases: Leases, now: Callable[[], datetime]) -> None:
        self._caches = caches
        self._leases = leases
        self._now = now

    def copies(self) -> Mapping[tuple[str, str], CachedVersion]:
        """Return the cached versions by dataset and id."""
        return {(each.dataset, each.version): each for each in self._caches.all()}

    def folder(self, dataset: str, version: str) -> str:
        """Return the folder with the files of a cached version, empty where it is elsewhere."""
        root = self._caches.folder()
        copy = self.copies().get((dataset, version)) if root else None
        there = copy and copy.state in {"cached", "damaged"}
        return str(place(Path(root), dataset, version).tree) if there else ""

    def check(self, dataset: str, version: str) -> None:
        """Raise InUse where a session or a pin keeps a version."""
        copy = self.copies().get((dataset, version))
        leases = self._leases().get((dataset, version), ())
        name = f"{dataset}@{version[:SHOWN]}"
        if leases:
            users = ", ".join(lease.name for lease in leases)
            raise InUse(f"{name} is used by {users}.", hint="Stop these sessions first.")
        if copy and (pins := kept_by_pin(copy, self._now())):
            users = ", ".join(pin.user for pin in pins)
            raise InUse(f"{name} is pinned by {users}.", hint="Remove the pins first.")

    async def forget(self, dataset: str, version: str) -> None:
        """Remove the cached copy of a version that is to be removed. Raises InUse."""
        if (dataset, version) in self.copies():
            await self._caches.clear(dataset, version)
