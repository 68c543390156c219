"""What happens to datasets by itself: lakes are read, old copies removed, and copies verified."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from ...core.datasets.eviction import next_to_verify
from ...errors import GpuQuotaError
from ...model.datasets.jobs import Job
from ...model.datasets.versions import SHOWN
from ..board import Board
from .job_board import JobBoard
from .keeper import Keeper
from .launching import Launcher
from .registry import Registry

TICK = 1.0
"""Seconds between looks at jobs, and at a cache that is being filled."""
_CACHE = 30
_TIDY = 60
_LAKES = 30
_SWEEP = 600
"""Ticks between other things."""

_log = logging.getLogger(__name__)

Verify = Callable[[str, str], Awaitable[None]]
"""Starts to verify the copy of a version of a dataset."""


class Upkeep:
    """Two loops: one for jobs and the cache, one for lakes, which may be slow."""

    def __init__(
        self,
        board: Board,
        registry: Registry,
        keeper: Keeper,
        jobs: JobBoard,
        launcher: Launcher,
        verify: Verify,
    ) -> None:
        self._board = board
        self._registry = registry
        self._keeper = keeper
        self._jobs = jobs
        self._launcher = launcher
        self._verify = verify
        self._damage: dict[tuple[str, str], str] = {}
        self._stale = asyncio.Event()
        self._full = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin."""
        self._tasks = [asyncio.create_task(self._keep()), asyncio.create_task(self._read())]

    async def close(self) -> None:
        """End."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    def ended(self, job: Job) -> None:
        """Note a job that has ended: what it has changed is read anew, and damage is reported."""
        copy = (job.dataset, job.version)
        if job.kind == "verify":
            name = f"{job.dataset}@{job.version[:SHOWN]}"
            if job.findings:
                fixed = "they were fetched again" if job.state == "done" else "see the job"
                self._damage[copy] = f"{len(job.findings)} files of {name} were damaged: {fixed}."
            elif job.state == "done":
                self._damage.pop(copy, None)
        self._full = True
        self._stale.set()

    async def _keep(self) -> None:
        tick = 0
        while True:
            await self._guarded(self._turn(tick))
            tick += 1
            await asyncio.sleep(TICK)

    async def _turn(self, tick: int) -> None:
        self._launcher.check()
        self._jobs.check()
        await self._jobs.save()
        filling = any(each.state in {"fetching", "clearing"} for each in self._keeper.all())
        if tick % _TIDY == 0:
            await self._keeper.tidy()
            await self._rehash()
        elif filling or self._full or tick % _CACHE == 0:
            self._full = False
            await self._keeper.refresh()
        if tick % _SWEEP == 0:
            await self._keeper.cache.sweep()
        self._warn()

    async def _rehash(self) -> None:
        due = next_to_verify(self._keeper.all(), self._keeper.now())
        if due and not self._keeper.verifying():
            await self._verify(due.dataset, due.version)

    async def _read(self) -> None:
        while True:
            self._stale.clear()
            await self._guarded(self._registry.refresh())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LAKES):
                    await self._stale.wait()
            await asyncio.sleep(TICK)

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Wait for work; a failure is shown, and the work is tried again in the next turn."""
        try:
            await work
        except GpuQuotaError as error:
            self._board.warn("datasets", (error.message,))
        except Exception as error:  # noqa: BLE001 (a bug must not end the care of all datasets)
            _log.exception("the upkeep of datasets failed")
            self._board.warn(
                "datasets", (f"Datasets cannot be kept in order: {error}. See the log.",)
            )

    def _warn(self) -> None:
        self._board.warn("datasets", (self._keeper.problem, *self._damage.values()))
