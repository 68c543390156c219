"""Jobs that write the files of snapshots to new folders."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from ...errors import Conflict, Unavailable
from ...model.datasets.jobs import Job, JobReport
from ...model.datasets.lakes import Lake
from ...model.struct import error_of
from ...store.spawn import new_id
from ...store.tasks import in_thread
from ..datasets.job_board import JobBoard
from ..datasets.launching import Launcher, Order
from .folders import Folders
from .journal import Record, Tree

_GONE = 10.0
"""Seconds in which the process of an earlier controller has to report."""


class Fetching:
    """Starts these jobs, and waits for them."""

    def __init__(
        self,
        board: JobBoard,
        jobs: Callable[[str], Job],
        launcher: Launcher,
        lake: Callable[[str], Lake | None],
    ) -> None:
        self._board = board
        self._jobs = jobs
        self._launcher = launcher
        self._lake = lake
        self._ends: dict[str, asyncio.Event] = {}

    def ended(self, job: Job) -> None:
        """Note a job that has ended."""
        if waiting := self._ends.pop(job.id, None):
            waiting.set()

    async def fetch(self, record: Record, folders: Folders, *, again: bool) -> str:
        """Write the files of a restore unless they are there; return the id of the job.

        The folder appears as a whole. `again`: an earlier controller has begun; what its job has
        not ended is done anew. Raises Conflict, Damaged, StorageFailed.
        """
        shown = record.shown
        if again and not await in_thread(folders.exists, shown.folder):
            await self._outlast(record)
        if await in_thread(folders.exists, shown.folder):
            return shown.job
        job = new_id() if again else shown.job
        await self.start(job, record.tree, shown.folder, shown.owner)
        await self._end(job)
        await in_thread(folders.remove, staging(shown.folder, shown.job))
        return job

    async def start(self, job: str, tree: Tree, folder: str, user: str) -> Job:
        """Start to write the files of a tree to a new folder."""
        order = Order(
            kind="restore",
            id=job,
            user=user,
            lake=self._lake(tree.lake),
            cache=False,
            tree=f"{tree.dataset}@{tree.version}",
            folder=folder,
            size=tree.size,
        )
        begun = await self._board.start(order.job_report(), job, user)
        await self._launcher.start(order)
        return begun

    async def _outlast(self, record: Record) -> None:
        """Wait until the job of an earlier controller has ended, or is known to be gone."""
        shown = record.shown
        report = JobReport(kind="restore", folder=shown.folder, state="running")
        await self._board.start(report, shown.job, shown.owner)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GONE):
                await self._ended(shown.job)
        if self._jobs(shown.job).pid:
            await self._ended(shown.job)
        job = self._jobs(shown.job)
        if job.active:
            text = "Its process is gone; the restore is begun anew."
            self._board.fail(shown.job, Unavailable(text))

    async def _end(self, job: str) -> None:
        """Wait until a job has ended. Raises what it has failed with."""
        await self._ended(job)
        known = self._jobs(job)
        if known.problem:
            raise error_of(known.problem)
        if known.state != "done":
            words = "was cancelled" if known.state == "cancelled" else "no longer reports"
            raise Conflict(f"The restore {words}.", hint="Restore the snapshot again.")

    async def _ended(self, job: str) -> None:
        while self._jobs(job).active:
            await self._ends.setdefault(job, asyncio.Event()).wait()


def staging(folder: str, job: str) -> str:
    """Return where a job puts files until they are complete."""
    parent, _, name = folder.rpartition("/")
    return f"{parent}/.{name}.restoring-{job}"
