"""The parts of snapshots in a controller."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job
from ...model.sessions import Session
from ...model.snapshots.manifest import TreePart
from ...model.snapshots.orders import SnapshotOrder
from ...ports.backend import Backend
from ...store.lake.objects import Objects
from ...store.spawn import new_id
from ..board import Board
from ..datasets.assembly import Data
from ..datasets.launching import Order
from ..datasets.shelf import Shelf
from ..resident import Resident
from ..volumes.restored import RestoredVolumes
from .capture import Maker
from .comparison import Comparing
from .folders import GONE, Fetching, Folders
from .journal import Journal, Record
from .orders import Orders, Process
from .quiescence import Hook, SavingPages
from .registry import Registry
from .restores import FolderRestores
from .snapshots import LakeSnapshots
from .upkeep import Rules, Upkeep

_SAVE = 10.0
"""Seconds that open pages have to save."""
_MOMENT = 5.0
"""Seconds that a start waits for the snapshots in lakes."""

Look = Callable[[Session, Collection[str] | None], Mapping[str, Any]]
"""Returns what a backend knows of the files of a session: fields of `SnapshotOrder`.

The names are those of the volumes to copy, None for all that the session may write.
"""


class SnapshotParts:
    """Snapshots of a backend, from `start` to `close`."""

    def __init__(
        self,
        board: Board,
        data: Data,
        own: Objects,
        folder: Path | None,
        process: Process,
        folders: Folders,
        look: Look = lambda _session, _volumes: {},
        patience: float = GONE,
    ) -> None:
        self._board = board
        self._data = data
        self.registry = Registry(self._lakes, self._changed)
        self._pages = SavingPages(_SAVE, lambda: board.touch("sessions"))
        self._hook = Hook()
        self._process = process
        self._maker = self._made(Orders(own, folder), process, look)
        find = data.job_store.find
        fetching = self._fetching = Fetching(
            data.job_board, lambda job: find(job).job, data.launcher, self._lake, patience
        )
        journal = Journal(own, "snapshots/restores/", Record)
        self._restores = FolderRestores(self.registry, journal, folders, fetching, self._changed)
        self._rules = Rules(own)
        self.snapshots = LakeSnapshots(
            self.registry,
            self._maker,
            self._pages,
            self._restores,
            fetching,
            folders,
            self._verify,
            Comparing(data.browsing(self._shelf)),
        )
        self._upkeep = Upkeep(board, self.registry, self._maker, self.snapshots, self._rules)
        data.heard.append(self._heard)
        data.frozen.append(self._maker.frozen)
        self._taking_up: list[asyncio.Task[None]] = []

    def _made(self, orders: Orders, process: Process, look: Look) -> Maker:
        return Maker(
            self._data.job_board,
            orders,
            process,
            self._pages,
            self._hook,
            self._default,
            look,
            self._changed,
        )

    async def start(self) -> None:
        """Read snapshots and what an earlier controller has begun, and go on with it."""
        begun = await self._maker.resume()
        self._taking_up = [asyncio.create_task(self._take_up(each)) for each in begun]
        await self._restores.load()
        await self._restores.resume()
        self._upkeep.start()
        if self._data.registry.is_loaded:  # else the lakes do not answer
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_MOMENT):
                    await self.registry.loaded.wait()

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note that sessions may have changed."""
        self._pages.keep_only({each.id for each in sessions})
        self._upkeep.follow(sessions)

    async def close(self) -> None:
        """Stop; processes go on."""
        for task in self._taking_up:
            task.cancel()
        await asyncio.gather(*self._taking_up, return_exceptions=True)
        await self._upkeep.close()
        await self._restores.close()
        await self._process.close()
        await self._maker.close()

    def restore_to(self, volumes: RestoredVolumes) -> None:
        """Let restores make volumes, too."""
        self._restores.finding.volumes = volumes

    def added_to(self, backend: Backend, resident: Resident) -> Backend:
        """Return the complete record of a backend with snapshots, which live with its resident."""
        self._restores.sessions = backend.sessions
        self._hook.exec, self._maker.runs = backend.exec, backend.runs
        self._maker.variables = backend.variables
        resident.companions.append(self)
        return replace(backend, snapshots=self.snapshots, keeping=self._rules)

    async def _take_up(self, order: SnapshotOrder) -> None:
        """Start the process of a snapshot anew unless it still works."""
        if not await self._fetching.reports(order.id):
            await self._maker.again(order)

    def _changed(self) -> None:
        self._board.touch("snapshots")

    def _heard(self, job: Job) -> None:
        self._fetching.ended(job)
        if self._maker.ended(job):
            self._upkeep.wake()

    def _lakes(self) -> Mapping[str, Objects]:
        registry = self._data.registry
        found = {lake.name: registry.objects(lake.name) for lake in registry.lakes()}
        return {name: objects for name, objects in found.items() if objects}

    def _default(self) -> Lake | None:
        return next(iter(self._data.registry.lakes()), None)

    def _lake(self, name: str) -> Lake | None:
        return next((each for each in self._data.registry.lakes() if each.name == name), None)

    def _shelf(self, lake: str) -> tuple[Shelf, Objects | None]:
        objects = self.registry.objects(lake)
        return Shelf(objects), objects

    async def _verify(self, trees: Sequence[TreePart], user: str) -> Job:
        tree, *others = trees
        order = Order(
            kind="verify",
            id=new_id(),
            user=user,
            lake=self._lake(tree.lake),
            cache=False,
            only="lake",
            dataset=tree.dataset,
            version=tree.version,
            also=tuple(f"{each.dataset}@{each.version}" for each in others),
            files=sum(each.files for each in trees),
            size=sum(each.size for each in trees),
        )
        job = await self._data.job_board.start(order.job_report(), order.id, user)
        await self._data.launcher.start(order)
        return job
