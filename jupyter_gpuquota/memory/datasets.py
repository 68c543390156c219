"""Datasets without a disk: a lake and a cache in memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

from ..control.board import Board
from ..control.datasets.assembly import Data, Storage
from ..control.datasets.opening import LOCAL, open_lake
from ..model.datasets.lakes import Lake
from ..store.lake.connection import in_memory
from ..store.lake.objects import Objects
from .cache import MemoryCache
from .jobs import Tasks

LAKE = Lake(name=LOCAL, url="memory://local", default=True)


def open_data(board: Board, lake: Objects | None = None) -> Data:
    """Return datasets whose lake is in memory; `lake` replaces an empty one."""
    objects = lake or in_memory(LAKE.url)

    def opening(wanted: Lake) -> Objects:
        return objects if wanted == LAKE else open_lake(wanted)

    def now() -> datetime:
        return datetime.now(UTC)

    cache = MemoryCache(now)
    storage = Storage(
        own=in_memory("memory://own"), folder=None, lake=LAKE, opening=opening, cache=cache
    )
    # Nothing runs when a controller starts, so nobody has to be waited for.
    return Data(board, storage, partial(_tasks, cache), now, settling=timedelta())


def _tasks(cache: MemoryCache, data: Data) -> Tasks:
    return Tasks(data.job_board, cache, data.registry.objects)
