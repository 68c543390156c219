"""A cache without a disk: what is cached is noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from ..control.datasets.keeper import Copy
from ..control.datasets.launching import Order
from ..errors import InUse, NotFound
from ..model.datasets.caches import CachedVersion, Pin
from ..model.datasets.versions import SHOWN

CAPACITY = 1 << 40


class MemoryCache:
    """The versions that a process knows as cached; their files are read from the lake."""

    root: Path | None = None

    def __init__(self, now: Callable[[], datetime], capacity: int = CAPACITY) -> None:
        self._now = now
        self._capacity = capacity
        self._versions: dict[Copy, CachedVersion] = {}

    async def read(self) -> Sequence[CachedVersion]:
        """Return every version."""
        return list(self._versions.values())

    async def space(self) -> tuple[int, int]:
        """Return the capacity, and what is left of it."""
        used = sum(each.size for each in self._versions.values())
        return self._capacity, max(self._capacity - used, 0)

    def add(self, order: Order) -> None:
        """Note that a version was fetched."""
        self._versions[order.dataset, order.version] = CachedVersion(
            dataset=order.dataset,
            version=order.version,
            state="cached",
            size=order.size,
            files=order.files,
            used=self._now(),
        )

    def verified(self, order: Order) -> None:
        """Note that a version was verified."""
        self._change((order.dataset, order.version), verified=self._now())

    async def evict(self, dataset: str, version: str, now: datetime) -> bool:
        """Remove a version; return whether it was there. Raises InUse if it is pinned."""
        found = self._versions.get((dataset, version))
        pins = [pin.user for pin in found.pins if not pin.until or pin.until > now] if found else []
        if pins:
            raise InUse(
                f"{dataset}@{version[:SHOWN]} is pinned by {', '.join(pins)}.",
                hint="Ask them to unpin it.",
            )
        return self._versions.pop((dataset, version), None) is not None

    async def pin(self, dataset: str, version: str, pin: Pin) -> None:
        """Set a user's pin."""
        pins = self._pins((dataset, version), pin.user)
        self._change((dataset, version), pins=(*pins, pin))

    async def unpin(self, dataset: str, version: str, user: str) -> None:
        """Remove a user's pin. Raises NotFound."""
        pins = self._pins((dataset, version), user)
        if len(pins) == len(self._versions[dataset, version].pins):
            raise NotFound(
                f"{user} has no pin on {dataset}@{version[:SHOWN]}.",
                hint="List who has pinned it: data caches.",
            )
        self._change((dataset, version), pins=pins)

    async def use(self, dataset: str, version: str, now: datetime) -> None:
        """Note that a session uses a version now."""
        self._change((dataset, version), used=now)

    async def sweep(self) -> None:
        """Do nothing: there are no processes that could leave something."""

    def _pins(self, copy: Copy, user: str) -> tuple[Pin, ...]:
        return tuple(pin for pin in self._versions[copy].pins if pin.user != user)

    def _change(self, copy: Copy, **facts: object) -> None:
        if copy in self._versions:
            self._versions[copy] = replace(self._versions[copy], **facts)
