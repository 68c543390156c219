"""Restores of claims, one object each: what a restarted controller goes on with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from ...errors import NotFound
from ...model.sessions import SessionSpec
from ...model.snapshots.restore import Restoration, RestoreState
from ...store.lake.objects import Objects
from .restoring import Wanted

_PREFIX = "snapshots/claims/"


class ClaimRestore(msgspec.Struct, frozen=True, kw_only=True):
    """One restore, with the claims to make and the session to launch.

    `variables`: the session is given the variables that the snapshot has. `replace`: the claims
    take the place of those of the original session at once. A replacement or an undo that cannot
    be carried out leaves the restore in the state `before` it.
    """

    shown: Restoration
    wanted: tuple[Wanted, ...]
    spec: SessionSpec | None = None
    variables: bool = False
    replace: bool = False
    before: RestoreState = "failed"


class Journal:
    """The restores, in memory and in the controller's own objects."""

    def __init__(self, own: Objects) -> None:
        self._own = own
        self._records: Mapping[str, ClaimRestore] = MappingProxyType({})

    def all(self) -> tuple[ClaimRestore, ...]:
        """Return all restores."""
        return tuple(self._records.values())

    def find(self, restore: str) -> ClaimRestore:
        """Return one restore. Raises NotFound."""
        if restore not in self._records:
            raise NotFound(
                f"Restore {restore!r} not found.", hint="List them: jupyter gpu snapshot restores."
            )
        return self._records[restore]

    async def read(self) -> None:
        """Read all restores."""
        keys = [each.key async for each in self._own.list(_PREFIX)]
        found = [msgspec.json.decode(await self._own.get(key), type=ClaimRestore) for key in keys]
        self._records = MappingProxyType({each.shown.id: each for each in found})

    async def put(self, record: ClaimRestore) -> None:
        """Store a restore: on disk first. Raises StorageFailed, Unavailable."""
        await self._own.put(f"{_PREFIX}{record.shown.id}.json", msgspec.json.encode(record))
        self._records = MappingProxyType({**self._records, record.shown.id: record})

    async def drop(self, restore: str) -> None:
        """Remove a restore."""
        await self._own.delete([f"{_PREFIX}{restore}.json"])
        rest = {key: each for key, each in self._records.items() if key != restore}
        self._records = MappingProxyType(rest)
