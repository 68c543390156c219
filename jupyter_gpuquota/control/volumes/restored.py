"""Volumes that a restore makes: they are filled out of sight, and appear as a whole."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from ...store.tasks import in_thread
from .kept import KeptVolumes
from .store import VolumeRecord


class Filling(Protocol):
    """Where volumes are filled that nobody sees yet. Its methods block.

    They are below `root`. `order` is the id of what fills them.
    """

    root: str

    def folder(self, record: VolumeRecord, order: str) -> str:
        """Return the folder that is to be made with the files of a volume."""

    def begin(self, record: VolumeRecord, order: str) -> None:
        """Make what is around this folder, unless it is there. Raises StorageFailed."""

    def complete(self, record: VolumeRecord, order: str) -> None:
        """Make it a volume; one that is complete already stays. Raises NameTaken, StorageFailed."""

    def keep_only(self, orders: Collection[str]) -> None:
        """Remove what was begun for other orders."""


class RestoredVolumes:
    """The volumes that restores make of stored files."""

    def __init__(self, kept: KeptVolumes, filling: Filling) -> None:
        self._kept = kept
        self._filling = filling
        self.root = filling.root

    def sizes(self, project: str) -> dict[str, int]:
        """Return the volumes of a project by name, with the sizes that were asked for."""
        return {each.name: each.size for each in self._kept.all() if each.project == project}

    def folder(self, record: VolumeRecord, order: str) -> str:
        """Return the folder that is to be made with the files of a new volume."""
        return self._filling.folder(record, order)

    async def begin(self, record: VolumeRecord, order: str) -> None:
        """Make what is around this folder, unless it is there. Raises StorageFailed."""
        await in_thread(self._filling.begin, record, order)

    def has(self, record: VolumeRecord) -> bool:
        """Return whether a volume is complete."""
        wanted = record.project, record.name, record.created
        return any((each.project, each.name, each.created) == wanted for each in self._kept.all())

    async def complete(self, record: VolumeRecord, order: str) -> None:
        """Make it a volume, unless it is one. Raises NameTaken, StorageFailed."""
        await self._kept.adopt(record, lambda: self._filling.complete(record, order))

    async def keep_only(self, orders: Collection[str]) -> None:
        """Remove what was begun for orders that are over."""
        await in_thread(self._filling.keep_only, orders)
