"""Volumes that are filled before they appear: `volumes/PROJECT/.filling-ORDER-NAME`.

The files are written to a folder in that of the volume's files, for which a limit holds already.
Once all are there, they are moved up. Then the volume gets its name by a rename.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from ...control.storage.files import sync_folder, write_file, writing
from ...control.volumes.store import VolumeRecord
from ...errors import NameTaken
from .quotas import Quotas
from .store import FILES, RECORD, volume_path

FILLING = ".filling-"
_TREE = ".restored"


class FillingVolumes:
    """The volumes to come below a folder of the state folder `home`."""

    def __init__(self, home: Path, quotas: Quotas | None = None) -> None:
        self._root = home / "volumes"
        self.root = str(self._root)
        self._quotas = quotas or Quotas()

    def folder(self, record: VolumeRecord, order: str) -> str:
        """Return the folder that is to be made with the files of a volume."""
        return str(self._place(record, order) / FILES / _TREE)

    def begin(self, record: VolumeRecord, order: str) -> None:
        """Make what is around this folder, unless it is there. Raises StorageFailed."""
        place = self._place(record, order)
        with writing(place):
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (place / FILES).is_dir():
                self._quotas.make(place / FILES, record.size)

    def complete(self, record: VolumeRecord, order: str) -> None:
        """Make it a volume; whoever was killed meanwhile goes on. Raises NameTaken."""
        place, path = self._place(record, order), volume_path(self._root, record)
        if place.is_dir():
            self._name(place, path, record)
        with writing(path), suppress(FileNotFoundError):
            (path / FILES / _TREE).rmdir()

    def keep_only(self, orders: Collection[str]) -> None:
        """Remove what was begun for other orders."""
        for place in self._root.glob(f"*/{FILLING}*"):
            if place.name.removeprefix(FILLING).partition("-")[0] not in orders:
                shutil.rmtree(place, ignore_errors=True)

    def _name(self, place: Path, path: Path, record: VolumeRecord) -> None:
        files = place / FILES
        with writing(path):
            if path.exists():
                raise NameTaken(
                    f"{path} exists already.", hint="Use another name, or remove that folder."
                )
            _move_up(files)
            write_file(place / RECORD, msgspec.json.encode(record))
            sync_folder(files)
            sync_folder(place)
            place.rename(path)
            sync_folder(path.parent)

    def _place(self, record: VolumeRecord, order: str) -> Path:
        return volume_path(self._root, record).with_name(f"{FILLING}{order}-{record.name}")


def _move_up(files: Path) -> None:
    """Move restored files to the folder of a volume; a killed process may have moved some."""
    for each in list((files / _TREE).iterdir()):
        each.rename(files / each.name)
