"""Datasets of this machine: a lake and a cache in folders, and jobs as processes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..control.board import Board
from ..control.datasets.assembly import Data, Storage
from ..control.datasets.cache import FolderCache
from ..control.datasets.launching import Processes
from ..control.datasets.opening import local_lake, open_lake
from ..control.storage.state_folder import make_state_folder
from ..model.datasets.lakes import Lake
from ..variables import BACKEND, STATE_DIR
from .config import LocalConfig


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


def cache_root(config: LocalConfig, home: Path) -> Path:
    """Return the folder of the cache."""
    return Path(config.cache_dir) if config.cache_dir else home / "data" / "cache"


def _processes(home: Path, root: Path, data: Data) -> Processes:
    variables = {STATE_DIR: str(home), BACKEND: "local"}
    return Processes(home, variables, root, data.job_board.fail)
