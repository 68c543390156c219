"""The parts of datasets in a controller, and what they do by themselves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from ...core.datasets.settings import rules_for
from ...model.datasets.caches import CachedVersion, CacheRules, Lease
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job
from ...model.sessions import Session
from ...ports.backend import Backend
from ...store.cache.places import place
from ...store.lake.objects import Objects
from ..board import Board
from ..resident import Resident
from .cache import Cache
from .caches import KeptCaches
from .datasets import LakeDatasets
from .files.browsing import Browsing, ShelfOf
from .files.listings import Listings
from .files.reading import Reader, TreeOf
from .files.spare import Spare
from .gate import DataGate
from .job_board import SETTLING, JobBoard, JobStore
from .jobs import DataJobs
from .keeper import Copy, Keeper, leases_of
from .launching import Launcher
from .manifests import Manifests
from .registry import Opening, Registry
from .shelf import Shelf
from .upkeep import Upkeep
from .uses import UseLog, Uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Where a backend keeps what belongs to datasets.

    `own` is the controller's own; `folder` is for what can be made again, None for a temporary
    one. `lake` is the lake of a backend for which admins have set up none, `opening` opens lakes.
    """

    own: Objects
    folder: Path | None
    lake: Lake
    opening: Opening
    cache: Cache


_MOMENT = 5.0
"""Seconds that a start waits for lakes."""

Launching = Callable[["Data"], Launcher]
"""Makes what starts jobs."""


class Data:
    """Datasets, caches and jobs of a backend, from `start` to `close`."""

    def __init__(
        self,
        board: Board,
        storage: Storage,
        launching: Launching,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        settling: timedelta = SETTLING,
    ) -> None:
        self._board = board
        self._storage = storage
        self._listings = Listings(storage.folder and storage.folder / "listings")
        self._spare = Spare(storage.folder and storage.folder / "parts")
        self.heard: list[Callable[[Job], object]] = []
        """Called with every job that has ended."""
        self.frozen: list[Callable[[str], object]] = []
        """Called with the id of each job whose folder may be written again."""
        store = self.job_store = JobStore(storage.own)
        self.registry = Registry(storage.own, self._lakes, storage.opening, self._changed)
        self.keeper = Keeper(storage.cache, store, self._leases, self._rules, now, self._changed)
        touch, admit = partial(board.touch, "jobs"), self.keeper.admit
        self.job_board = JobBoard(store, now, touch, admit, self._ended, settling, self._frozen)
        self.launcher = launching(self)
        self.jobs = DataJobs(store, self.job_board, self.keeper, self.registry, self.launcher)
        self.caches = KeptCaches(self.keeper, self.job_board, self.registry, self.launcher)
        manifests = self._manifests = Manifests(storage.own)
        self.datasets = LakeDatasets(
            self.registry,
            manifests,
            self._browsing(self._shelf_of, self._tree_of),
            Uses(self.caches, self._leases, now),
        )
        self._upkeep = Upkeep(
            board, self.registry, self.keeper, self.job_board, self.launcher, self._verify
        )

    async def start(self) -> None:
        """Read jobs, lakes and cache; lakes that do not answer now are waited for later."""
        await self.job_board.load()
        reading = asyncio.gather(self.registry.refresh(), self.keeper.refresh())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT):
                await reading
        self._upkeep.start()

    def follow(self, sessions: Sequence[Session]) -> None:
        """Do nothing: leases are looked up when they are needed."""

    async def close(self) -> None:
        """Stop everything that belongs to the controller; processes of jobs go on."""
        await self._upkeep.close()
        await self.launcher.close()
        self._listings.close()
        self._spare.close()

    def added_to(self, backend: Backend, resident: Resident) -> Backend:
        """Return the record of a backend with these capabilities, which live with its resident."""
        board, abilities = self._board, (self.datasets, self.caches, self.jobs)
        gate = DataGate(lambda: board.sessions, board.data, *abilities, resident.wake)
        folder = self._storage.folder
        uses = UseLog(folder / "uses.ndjson" if folder else None)
        resident.companions += [self, gate, uses]
        return replace(
            backend, datasets=self.datasets, caches=self.caches, jobs=self.jobs, uses=uses
        )

    def browsing(self, shelf_of: ShelfOf) -> Browsing:
        """Return what reads versions of other datasets, none of which is cached."""
        return self._browsing(shelf_of, lambda _dataset, _version: None)

    def _browsing(self, shelf_of: ShelfOf, tree_of: TreeOf) -> Browsing:
        reader = Reader(self._spare)
        return Browsing(shelf_of, self._manifests, self._listings, reader, tree_of)

    def _changed(self) -> None:
        self._board.touch("datasets")

    def _ended(self, job: Job) -> None:
        self._upkeep.ended(job)
        for hear in self.heard:
            hear(job)

    def _frozen(self, job: str) -> None:
        for hear in self.frozen:
            hear(job)

    def _lakes(self) -> Sequence[Lake]:
        return self._board.settings.data.lakes or (self._storage.lake,)

    def _leases(self) -> Mapping[Copy, tuple[Lease, ...]]:
        return leases_of(self._board.sessions)

    def _rules(self, version: CachedVersion) -> CacheRules:
        known = self.registry.places().get(version.dataset)
        project = known.content.record.project if known else ""
        return rules_for(self._board.settings.data.cache, version.dataset, project)

    def _shelf_of(self, dataset: str) -> tuple[Shelf, Objects | None]:
        found = self.registry.place(dataset)
        return found.shelf, found.shelf.objects if found.lake else None

    def _tree_of(self, dataset: str, version: str) -> Path | None:
        copy = self.keeper.find(dataset, version)
        root = self._storage.cache.root
        if root is None or copy is None or copy.state != "cached":
            return None
        return place(root, dataset, version).tree

    async def _verify(self, dataset: str, version: str) -> None:
        found = await self.datasets.versions(dataset)
        wanted = next((each for each in found if each.id == version), None)
        if wanted:
            await self.jobs.verify(wanted, "", lake=False, cache=True)
