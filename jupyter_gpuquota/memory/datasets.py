"""Datasets without a disk: a lake and a cache in memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ..control.board import Board
from ..control.datasets.assembly import Data, Storage
from ..control.datasets.opening import LOCAL, open_lake
from ..control.snapshots.assembly import SnapshotParts
from ..model.datasets.lakes import Lake
from ..store.lake.connection import in_memory
from ..store.lake.objects import Objects
from .cache import MemoryCache
from .jobs import Tasks
from .snapshots import MemoryProcess

LAKE = Lake(name=LOCAL, url="memory://local", default=True)


def open_data(board: Board, lake: Objects | None = None) -> tuple[Data, SnapshotParts]:
    """Return datasets and snapshots whose lake is in memory; `lake` replaces an empty one."""
    objects = lake or in_memory(LAKE.url)

    def opening(wanted: Lake) -> Objects:
        return objects if wanted == LAKE else open_lake(wanted)

    def now() -> datetime:
        return datetime.now(UTC)

    cache = MemoryCache(now)
    own = in_memory("memory://own")
    storage = Storage(own=own, folder=None, lake=LAKE, opening=opening, cache=cache)
    # Nothing runs when a controller starts, so nobody has to be waited for.
    made: list[Tasks] = []

    def launching(data: Data) -> Tasks:
        made.append(Tasks(data.job_board, cache, data.registry.objects))
        return made[0]

    data = Data(board, storage, launching, now, settling=timedelta())
    folders = made[0].folders
    process = MemoryProcess(data.job_board, folders, data.registry.objects)
    return data, SnapshotParts(board, data, own, None, process, folders)
