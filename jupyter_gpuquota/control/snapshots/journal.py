"""Restores on disk, one object each: what a restarted controller goes on with."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

import msgspec

from ...model.sessions import SessionSpec
from ...model.snapshots.manifest import TreePart
from ...model.snapshots.restore import Restoration
from ...store.lake.objects import Objects
from ..volumes.store import VolumeRecord

_log = logging.getLogger(__name__)


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """The files to restore: a version in a lake, and the new `folder` that gets them.

    `variables` of a kernel are restored if they are wanted.
    """

    lake: str
    dataset: str
    version: str
    folder: str
    size: int = 0
    variables: bool = False


def tree_of(part: TreePart, folder: str, *, variables: bool = False) -> Tree:
    """Return a stored tree as it is restored to a folder."""
    return Tree(
        lake=part.lake,
        dataset=part.dataset,
        version=part.version,
        size=part.size,
        variables=variables,
        folder=folder,
    )


class NewVolume(msgspec.Struct, frozen=True, kw_only=True):
    """A volume to make of the files of a tree."""

    record: VolumeRecord
    tree: Tree


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One restore, with what its next steps need."""

    shown: Restoration
    tree: Tree | None
    spec: SessionSpec | None = None
    volumes: tuple[NewVolume, ...] = ()

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Everything that is written."""
        own = (self.tree,) if self.tree else ()
        return (*own, *(each.tree for each in self.volumes))


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
