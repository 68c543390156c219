"""Jobs without processes: every object of a version is read and hashed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from datetime import timedelta

from msgspec.structs import replace

from ..control.datasets.job_board import JobBoard
from ..control.datasets.launching import Order
from ..errors import Damaged, GpuQuotaError, NotFound
from ..model.datasets.jobs import JobReport
from ..model.struct import problem_of
from ..store import manifest
from ..store.entries import Entry, Location
from ..store.lake import layout
from ..store.lake.collect import collect
from ..store.lake.history import History
from ..store.lake.objects import Objects
from .cache import MemoryCache
from .snapshots import MemoryFolders

_PACE = 8
"""Objects between two reports."""


class Tasks:
    """Runs jobs as tasks of this process: every object of a version is read and hashed."""

    def __init__(
        self, board: JobBoard, cache: MemoryCache, objects: Callable[[str], Objects | None]
    ) -> None:
        self._board = board
        self._cache = cache
        self._objects = objects
        self._running: set[asyncio.Task[None]] = set()
        self.folders = MemoryFolders()

    async def start(self, order: Order) -> None:
        """Start a job."""
        task = asyncio.create_task(self._run(order))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def check(self) -> None:
        """Do nothing: tasks report how they end."""

    async def close(self) -> None:
        """Stop all jobs."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _run(self, order: Order) -> None:
        report = replace(order.job_report(), state="running")
        try:
            if await self._work(order, report):
                report = replace(
                    report, state="done", files=order.files, done=order.size, moved=order.size
                )
            else:
                report = replace(report, state="cancelled")
        except GpuQuotaError as error:
            report = replace(report, state="failed", problem=problem_of(error))
        await self._board.report(order.id, report, order.user)

    async def _work(self, order: Order, report: JobReport) -> bool:
        """Do a job; return whether it was done, and not cancelled."""
        objects = self._objects(order.lake.name) if order.lake else None
        if objects is None:
            return True
        if order.kind == "gc":
            history = History(objects, conditional=True)
            await collect(objects, history, grace=timedelta(seconds=order.grace))
            return True

        async def tell(share: float) -> bool:
            now = replace(report, done=round(share * order.size), files=round(share * order.files))
            return (await self._board.report(order.id, now, order.user)).cancelling

        trees = (*order.also, *(each.tree for each in order.trees))
        versions = (order.version, *(each.rpartition("@")[2] for each in trees))
        for version in filter(None, versions):
            if not await verify(objects, version, tell):
                return False
        if order.kind == "restore":
            self.folders.names |= {each.folder for each in order.trees}
            return True
        if not order.cache:
            return True
        self._cache.add(order) if order.kind == "cache" else self._cache.verified(order)
        return True


async def verify(
    objects: Objects, version: str, cancelled: Callable[[float], Awaitable[bool]]
) -> bool:
    """Read and hash every object of a version; return whether that was not cancelled.

    `cancelled` is told the share that is done. Raises Damaged, Unavailable.
    """
    body = await objects.get(layout.manifest(version))
    names = sorted(set(_names(manifest.decode([body], version))))
    for number, (key, sha256) in enumerate(names):
        if number % _PACE == 0 and await cancelled(number / len(names)):
            return False
        try:
            found = hashlib.sha256(await objects.get(key)).hexdigest()
        except NotFound:
            found = "nothing"
        if found != sha256:
            raise Damaged(f"{key} in the lake is not what its name says.", hint="Sync it again.")
    return True


def _names(entries: Iterable[tuple[Entry, Location]]) -> Iterable[tuple[str, str]]:
    for _, location in entries:
        if location.pack:
            yield layout.pack(location.pack), location.pack
        for part in location.parts:
            yield layout.content(part), part
