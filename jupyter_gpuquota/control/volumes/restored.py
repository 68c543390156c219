"""Volumes that a restore makes: they are filled out of sight, and appear as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from ...model.volumes.volumes import Volume, VolumeChange
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

    def beside(self, folder: str) -> str:
        """Return the folder that is to be made with the files that `folder` will have."""

    def begin_beside(self, record: VolumeRecord, folder: str) -> None:
        """Make what is around this folder, with the limit of a volume. Raises StorageFailed."""

    def complete_beside(self, folder: str) -> None:
        """Let `folder` appear with its files, unless it has. Raises StorageFailed."""


class RestoredVolumes:
    """The volumes that restores make of stored files."""

    def __init__(self, kept: KeptVolumes, filling: Filling) -> None:
        self._kept = kept
        self._filling = filling
        self.root = filling.root

    def sizes(self, project: str) -> dict[str, int]:
        """Return the volumes of a project by name, with the sizes that were asked for."""
        return {each.name: each.size for each in self._kept.all() if each.project == project}

    def originals(self, project: str) -> dict[str, Volume]:
        """Return the volumes of a project by name whose files can be replaced."""
        return {
            each.name: each
            for each in self._kept.all()
            if each.project == project and each.storage_class and not each.read_only
        }

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

    def beside(self, folder: str) -> str:
        """Return the folder that is to be made with the files that `folder` will have."""
        return self._filling.beside(folder)

    async def begin_beside(self, record: VolumeRecord, folder: str) -> None:
        """Make what is around this folder, with the limit of a volume. Raises StorageFailed."""
        await in_thread(self._filling.begin_beside, record, folder)

    async def complete_beside(self, folder: str) -> None:
        """Let `folder` appear with its files, unless it has. Raises StorageFailed."""
        await in_thread(self._filling.complete_beside, folder)

    async def limit_again(self, records: Iterable[VolumeRecord]) -> None:
        """Give volumes whose folders were swapped the limits that they have by now."""
        for record in records:
            if volume := self.originals(record.project).get(record.name):
                await self._kept.change(volume, VolumeChange(), None)
