"""Restores on disk, one object each: what a restarted controller goes on with."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

import msgspec

from ...model.snapshots.restore import Restoration
from ...store.lake.objects import Objects

_log = logging.getLogger(__name__)


class Recorded(Protocol):
    """One restore, with what its next steps need."""

    @property
    def shown(self) -> Restoration:
        """What users see of it."""


R = TypeVar("R", bound=Recorded)


class Journal(Generic[R]):
    """The restores, in memory and in the controller's own objects: `records` below `prefix`."""

    def __init__(self, own: Objects, prefix: str, records: type[R]) -> None:
        self._own = own
        self._prefix = prefix
        self._type = records
        self._records: Mapping[str, R] = MappingProxyType({})

    def all(self) -> tuple[R, ...]:
        """Return all restores."""
        return tuple(self._records.values())

    async def read(self) -> None:
        """Read all restores; one that cannot be read is passed over."""
        found: dict[str, R] = {}
        for key in [each.key async for each in self._own.list(self._prefix)]:
            try:
                record = msgspec.json.decode(await self._own.get(key), type=self._type)
            except msgspec.DecodeError as error:
                _log.warning("The restore in %s is passed over: %s", key, error)
            else:
                found[record.shown.id] = record
        self._records = MappingProxyType(found)

    async def put(self, record: R) -> None:
        """Store a restore: on disk first. Raises StorageFailed, Unavailable."""
        restore = record.shown.id
        await self._own.put(f"{self._prefix}{restore}.json", msgspec.json.encode(record))
        self._records = MappingProxyType({**self._records, restore: record})

    async def drop(self, restore: str) -> None:
        """Remove a restore."""
        await self._own.delete([f"{self._prefix}{restore}.json"])
        rest = {key: each for key, each in self._records.items() if key != restore}
        self._records = MappingProxyType(rest)
