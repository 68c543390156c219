"""Datasets of this machine: a lake and a cache in folders, and jobs as processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..control.board import Board
from ..control.datasets.assembly import Data, Storage
from ..control.datasets.cache import FolderCache
from ..control.datasets.launching import Processes
from ..control.datasets.opening import local_lake, open_lake
from ..control.snapshots.assembly import SnapshotParts
from ..control.snapshots.folders import DiskFolders
from ..control.snapshots.orders import LaunchedProcess
from ..control.storage.state_folder import make_state_folder
from ..control.volumes.kept import KeptVolumes
from ..control.volumes.restored import RestoredVolumes
from ..core.snapshots.redaction import secret_values
from ..core.snapshots.volumes import mounted
from ..environ import BACKEND, STATE_DIR
from ..errors import NotFound
from ..model.datasets.datasets import Lake
from ..model.sessions import Session
from ..store.tasks import in_thread
from .config import LocalConfig
from .folders.folders import SessionFolder
from .volumes.filling import FillingVolumes


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
        return {
            "log": str(log),
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
        return secret_values(launch.env if launch else session.spec.env)

    own = open_lake(Lake(name="own", url=folder.absolute().as_uri()))
    process = LaunchedProcess(data.launcher, data.registry.lakes, secrets)
    parts = SnapshotParts(board, data, own, folder, process, DiskFolders(), look)
    parts.restore_to(RestoredVolumes(volumes, FillingVolumes(home)))
    return parts


def cache_root(config: LocalConfig, home: Path) -> Path:
    """Return the folder of the cache."""
    return Path(config.cache_dir) if config.cache_dir else home / "data" / "cache"


def _processes(home: Path, root: Path, data: Data) -> Processes:
    variables = {STATE_DIR: str(home), BACKEND: "local"}
    return Processes(home, variables, root, data.job_board.fail)
