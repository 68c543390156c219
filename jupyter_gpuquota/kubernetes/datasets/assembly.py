"""Datasets, caches and jobs of a cluster, and what they do by themselves."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from ...control.board import Board
from ...control.datasets.datasets import LakeDatasets
from ...control.datasets.files.browsing import Browsing
from ...control.datasets.files.listings import Listings
from ...control.datasets.files.reading import Reader
from ...control.datasets.files.spare import Spare
from ...control.datasets.job_board import JobBoard, JobStore
from ...control.datasets.keeper import Copy, leases_of
from ...control.datasets.manifests import Manifests
from ...control.datasets.opening import open_lake
from ...control.datasets.registry import Registry
from ...control.datasets.shelf import Shelf
from ...control.datasets.uses import UseLog, Uses
from ...core.datasets.settings import rules_for
from ...errors import GpuQuotaError
from ...model.datasets.caches import CachedVersion, CacheRules, Lease
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job
from ...model.reasons import Reason
from ...model.sessions import Session
from ...ports.backend import Backend
from ...store.lake.objects import Objects
from ..api import Api
from ..builders.helper_pod import DataJobSettings
from ..watching.watches import Watches
from .capability import Around, ClusterDatasets
from .lakes import SecretLakes
from .listed_jobs import Listed, ListedJobs

_log = logging.getLogger(__name__)

_LAKES = 30.0
"""Seconds after which lakes are read again."""
_TICK = 0.5
"""Seconds between two looks at what is due."""


@dataclass(frozen=True)
class Cluster:
    """The cluster, as datasets use it.

    `claim` and `shared` are as in `ClusterDatasets`; `wake` looks at a session soon. `lakes` are
    those of the configuration.
    """

    api: Api
    watches: Watches
    jobs: DataJobSettings
    claim: str
    shared: str
    wake: Callable[[str], None]
    lakes: tuple[Lake, ...] = ()


class Companion(Protocol):
    """What lives as long as the datasets of a cluster."""

    async def start(self) -> None:
        """Begin."""

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note that sessions may have changed."""

    def heard(self, job: Job) -> None:
        """Note that a job has ended."""

    async def close(self) -> None:
        """End."""


class ClusterData:
    """Everything of a cluster that belongs to datasets, from `start` to `close`.

    `home` is the state folder of the controller: copies of manifests are there, and what is known
    of datasets in members' own lakes.
    """

    def __init__(self, board: Board, home: Path, cluster: Cluster) -> None:
        self._board = board
        self._has_claim = bool(cluster.claim)
        self._configured = cluster.lakes
        folder = home / "data"
        self.companions: list[Companion] = []
        """What lives as long as this, and hears of sessions and of jobs that have ended."""
        own = self.own = open_lake(Lake(name="own", url=folder.absolute().as_uri()))
        self._secrets = SecretLakes(cluster.api, cluster.shared)
        self.registry = Registry(own, self._lakes, self._secrets.open, self._changed)
        self._listings, self._spare = Listings(folder / "listings"), Spare(folder / "parts")
        store = JobStore(own)
        self.job_board = JobBoard(store, _now, partial(board.touch, "jobs"), _admit, self._ended)
        self.claims = ClusterDatasets(
            cluster.api,
            cluster.watches,
            cluster.jobs,
            cluster.claim,
            cluster.shared,
            self._around(Listed(store, self.job_board), cluster.wake),
        )
        self.caches, manifests = self.claims.caches, Manifests(own)
        browsing = Browsing(
            self._shelf_of, manifests, self._listings, Reader(self._spare), lambda *_: None
        )
        self.datasets = LakeDatasets(
            self.registry, manifests, browsing, Uses(self.caches, self._leases, _now)
        )
        self.jobs = ListedJobs(store, self.job_board, self.claims)
        self.uses = UseLog(folder / "uses.ndjson")
        self._stale = asyncio.Event()
        self._opened: tuple[Lake, ...] = ()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin; lakes are read in the background."""
        await self.uses.start()
        await self.job_board.load()
        await self.claims.open()
        for companion in self.companions:
            await companion.start()
        self._tasks = [asyncio.create_task(self._keep()), asyncio.create_task(self._read())]

    async def close(self) -> None:
        """End; Jobs and processes go on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        for companion in self.companions:
            await companion.close()
        await self.claims.close()
        await self.uses.close()
        self._listings.close()
        self._spare.close()

    def added_to(self, backend: Backend) -> Backend:
        """Return the record of a backend with these; without a claim nothing is cached."""
        return replace(
            backend,
            datasets=self.datasets,
            caches=self.caches if self._has_claim else None,
            jobs=self.jobs,
            uses=self.uses,
        )

    def why(self, session: Session) -> Reason | None:
        """Return why a dataset of a session is not there, None if all are."""
        return self.claims.why(session)

    def _around(self, listed: Listed, wake: Callable[[str], None]) -> Around:
        return Around(
            datasets=lambda: self.datasets,
            registry=listed,
            projects=self._projects,
            sessions=lambda: self._board.sessions,
            wake=wake,
            rules=self._rules,
            changed=self._changed,
        )

    async def _keep(self) -> None:
        while True:
            try:
                self.job_board.check()
                await self.job_board.save()
                self.uses.follow(self._board.sessions)
                for companion in self.companions:
                    companion.follow(self._board.sessions)
                if self._lakes() != self._opened:
                    self._stale.set()
                await self.claims.step()
                warnings = self.claims.warnings()
            except GpuQuotaError as error:
                warnings = (error.message,)
            except Exception as error:  # noqa: BLE001 (a bug must not end the care of all datasets)
                _log.exception("the upkeep of datasets failed")
                warnings = (f"Datasets cannot be kept in order: {error}. See the log.",)
            self._board.warn("datasets", warnings)
            await asyncio.sleep(_TICK)

    async def _read(self) -> None:
        while True:
            self._stale.clear()
            self._opened = self._lakes()
            try:
                renewed = await self._secrets.read(self._opened, self._projects())
                await self.registry.refresh(renewed)
            except Exception as error:  # noqa: BLE001 (as above)
                _log.exception("reading the lakes failed")
                self._board.warn("lakes", (f"Lakes cannot be read: {error}. See the log.",))
            else:
                self._board.warn("lakes", ())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LAKES):
                    await self._stale.wait()
            await asyncio.sleep(_TICK)

    def _changed(self) -> None:
        self._board.touch("datasets")

    def _ended(self, job: Job) -> None:
        self._stale.set()
        for companion in self.companions:
            companion.heard(job)

    def _lakes(self) -> tuple[Lake, ...]:
        return self._board.settings.data.lakes or self._configured

    def _projects(self) -> Iterable[str]:
        return [project.name for project in self._board.settings.projects]

    def _leases(self) -> Mapping[Copy, tuple[Lease, ...]]:
        return leases_of(self._board.sessions)

    def _rules(self, version: CachedVersion) -> CacheRules:
        known = self.registry.places().get(version.dataset)
        project = known.content.record.project if known else ""
        return rules_for(self._board.settings.data.cache, version.dataset, project)

    def _shelf_of(self, dataset: str) -> tuple[Shelf, Objects | None]:
        found = self.registry.place(dataset)
        return found.shelf, found.shelf.objects if found.lake else None


def _now() -> datetime:
    return datetime.now(UTC)


async def _admit(job: Job) -> None:
    """Let every job begin: claims are planned before their Jobs are listed."""
