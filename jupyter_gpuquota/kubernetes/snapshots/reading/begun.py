"""Verifications that have begun, one object each: what the next controller goes on with."""

from __future__ import annotations

import msgspec

from ....store.lake.objects import Objects

_PREFIX = "snapshots/verifying/"


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A verification by its job: which snapshot, and who has asked for it."""

    job: str
    snapshot: str
    user: str


class BegunVerifications:
    """The verifications that have not ended, in the controller's own objects."""

    def __init__(self, own: Objects) -> None:
        self._own = own

    async def all(self) -> list[Begun]:
        """Return all. Raises Unavailable."""
        keys = [each.key async for each in self._own.list(_PREFIX)]
        return [msgspec.json.decode(await self._own.get(key), type=Begun) for key in keys]

    async def put(self, begun: Begun) -> None:
        """Store one. Raises StorageFailed, Unavailable."""
        await self._own.put(f"{_PREFIX}{begun.job}.json", msgspec.json.encode(begun))

    async def drop(self, job: str) -> None:
        """Remove one. Raises StorageFailed, Unavailable."""
        await self._own.delete([f"{_PREFIX}{job}.json"])
