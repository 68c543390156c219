"""Datasets of this machine: a lake and a cache in folders, and jobs as processes.

The files are written to a folder in that of the volume's files, for which a limit holds already.
Once all are there, they are moved up. Then the volume gets its name by a rename.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from jupyter_core.paths import jupyter_runtime_dir

from ..control.board import Board
from ..control.datasets.assembly import Data, Storage
from ..control.datasets.cache import FolderCache
from ..control.datasets.launching import Processes
from ..control.datasets.opening import local_lake, open_lake
from ..control.snapshots.assembly import SnapshotParts
from ..control.snapshots.folders import DiskFolders
from ..control.snapshots.orders import LaunchedProcess
from ..control.storage.files import sync_folder, write_file, writing
from ..control.storage.state_folder import make_state_folder
from ..control.volumes.kept import KeptVolumes
from ..control.volumes.restored import RestoredVolumes
from ..control.volumes.store import VolumeRecord
from ..core.snapshots.redaction import secret_values
from ..core.snapshots.volumes import mounted
from ..environ import BACKEND, STATE_DIR
from ..errors import NameTaken, NotFound
from ..model.datasets.datasets import Lake
from ..model.sessions import Session
from ..store.tasks import in_thread
from .config import LocalConfig
from .folders.folders import SessionFolder
from .volumes.quotas import Quotas
from .volumes.store import FILES, RECORD, volume_path


def open_data(board: Board, config: LocalConfig, home: Path) -> Data:
    """Return the datasets of the state folder `home`. Raises StorageFailed."""
    folder, root = home / "data", cache_root(config, home)
    make_state_folder(folder)
    storage = Storage(
        own=open_lake(Lake(name="own", url=folder.absolute().as_uri())),
        folder=folder,
        lake=local_lake(folder / "lake"),
        opening=open_lake,
        cache=FolderCache(root, config.cache_capacity),
    )
    return Data(board, storage, partial(_processes, home, root))


def open_snapshots(
    board: Board,
    data: Data,
    config: LocalConfig,
    home: Path,
    folder_of: Callable[[Session], SessionFolder],
    volumes: KeptVolumes,
) -> SnapshotParts:
    """Return the snapshots of the state folder `home`."""
    folder = home / "data"

    def look(session: Session, wanted: Collection[str] | None) -> Mapping[str, Any]:
        log = folder_of(session).path / "log"
        spec = session.spec
        links = [each.path for each in spec.data] + [each.path for each in spec.mounts]
        urls = [urlsplit(each.url) for each in data.registry.lakes()]
        lakes = [unquote(each.path) for each in urls if each.scheme == "file"]
        own = (home, cache_root(config, home), jupyter_runtime_dir(), *lakes)
        return {
            "log": str(log),
            "own": tuple(map(str, own)),
            "exclude": tuple(link.lstrip("/") for link in links if link),
            "mounted": mounted(session, wanted, volumes.all()),
        }

    async def secrets(session_id: str) -> list[str]:
        session = board.by_id.get(session_id)
        if session is None:
            raise NotFound(
                "The session was deleted before its snapshot was begun.",
                hint="Its folder is still there.",
            )
        launch = await in_thread(folder_of(session).launch, session.run)
        own = [launch.token] if launch and launch.token else []
        return [*own, *secret_values(launch.env if launch else session.spec.env)]

    own = open_lake(Lake(name="own", url=folder.absolute().as_uri()))
    process = LaunchedProcess(data.launcher, data.registry.lakes, secrets)
    parts = SnapshotParts(board, data, own, folder, process, DiskFolders(config.root_dir), look)
    parts.restore_to(RestoredVolumes(volumes, FillingVolumes(home)))
    return parts


def cache_root(config: LocalConfig, home: Path) -> Path:
    """Return the folder of the cache."""
    return Path(config.cache_dir) if config.cache_dir else home / "data" / "cache"


def _processes(home: Path, root: Path, data: Data) -> Processes:
    variables = {STATE_DIR: str(home), BACKEND: "local"}
    return Processes(home, variables, root, data.job_board.fail)


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
