"""Restores on disk, one object each: what a restarted controller goes on with."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from ...errors import NotFound
from ...model.sessions import SessionSpec
from ...model.snapshots.manifest import TreePart
from ...model.snapshots.restore import Restoration
from ...store.lake.objects import Objects
from ..volumes.store import VolumeRecord

_PREFIX = "snapshots/restores/"

_log = logging.getLogger(__name__)


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """The files to restore: a version in a lake, and the new `folder` that gets them.

    `variables` of a kernel are restored if they are wanted.
    """

    lake: str
    dataset: str
    version: str
    size: int = 0
    variables: bool = False
    folder: str = ""


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


class Swap(msgspec.Struct, frozen=True, kw_only=True):
    """A restored `folder` that takes the `place` of another one, which is then at `kept`."""

    place: str
    folder: str
    kept: str


class ReplacedVolume(msgspec.Struct, frozen=True, kw_only=True):
    """A volume whose folder is replaced by the files of a tree."""

    record: VolumeRecord
    tree: Tree
    swap: Swap


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One restore, with what its next steps need.

    A `confirmed` replacement is over: it says only which snapshot a folder has gone on from.
    """

    shown: Restoration
    tree: Tree | None
    spec: SessionSpec | None = None
    volumes: tuple[NewVolume, ...] = ()
    replaced: tuple[ReplacedVolume, ...] = ()
    confirmed: bool = False

    @property
    def swaps(self) -> tuple[Swap, ...]:
        """The folders that are replaced: the session's, then those of volumes."""
        shown = self.shown
        own = Swap(place=shown.place, folder=shown.folder, kept=shown.kept)
        return (own, *(each.swap for each in self.replaced))

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Everything that is written; earlier versions did not repeat the folder."""
        own = (self.tree,) if self.tree else ()
        folder = (msgspec.structs.replace(each, folder=self.shown.folder) for each in own)
        return (
            *folder,
            *(each.tree for each in self.volumes),
            *(each.tree for each in self.replaced),
        )


class Journal:
    """The restores, in memory and in the controller's own objects."""

    def __init__(self, own: Objects) -> None:
        self._own = own
        self._records: Mapping[str, Record] = MappingProxyType({})

    def all(self) -> tuple[Record, ...]:
        """Return all restores, without confirmed replacements."""
        return tuple(each for each in self._records.values() if not each.confirmed)

    def replacements(self, place: str) -> tuple[Record, ...]:
        """Return the restores that have replaced a folder, also confirmed ones, the last first."""
        found = (each for each in self._records.values() if each.shown.place == place)
        there = (each for each in found if each.shown.state == "replaced")
        return tuple(sorted(there, key=lambda each: each.shown.updated, reverse=True))

    def find(self, restore: str) -> Record:
        """Return one restore. Raises NotFound."""
        if restore not in self._records or self._records[restore].confirmed:
            raise NotFound(
                f"Restore {restore!r} not found.", hint="List them: jupyter gpu snapshot restores."
            )
        return self._records[restore]

    async def read(self) -> None:
        """Read all restores; one that cannot be read is passed over."""
        found: dict[str, Record] = {}
        for key in [each.key async for each in self._own.list(_PREFIX)]:
            try:
                record = msgspec.json.decode(await self._own.get(key), type=Record)
            except msgspec.DecodeError as error:
                _log.warning("%s is malformed: %s", key, error)
            else:
                found[record.shown.id] = record
        self._records = MappingProxyType(found)

    async def put(self, record: Record) -> None:
        """Store a restore: on disk first. Raises StorageFailed, Unavailable."""
        await self._own.put(f"{_PREFIX}{record.shown.id}.json", msgspec.json.encode(record))
        self._records = MappingProxyType({**self._records, record.shown.id: record})

    async def confirm(self, record: Record) -> None:
        """Keep of a replacement, and of none before it, only that it was made."""
        await self.put(msgspec.structs.replace(record, confirmed=True))
        for each in self.replacements(record.shown.place)[1:]:
            if each.confirmed:
                await self.drop(each.shown.id)

    async def drop(self, restore: str) -> None:
        """Remove a restore."""
        await self._own.delete([f"{_PREFIX}{restore}.json"])
        rest = {key: each for key, each in self._records.items() if key != restore}
        self._records = MappingProxyType(rest)
