"""The folders into which snapshots are restored, and the jobs that write files to them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ...errors import Conflict, GpuQuotaError, StorageFailed, Unavailable
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job, JobReport
from ...model.snapshots.manifest import EnvironmentPart
from ...model.snapshots.orders import SnapshotOrder
from ...model.snapshots.snapshots import SnapshotPreview
from ...model.struct import error_of
from ...store.tasks import in_thread
from ..datasets.job_board import JobBoard
from ..datasets.launching import Launcher, Order, Placed
from .journal import Record, Tree
from .previews import environment, preview

GONE = 10.0
"""Seconds in which the process of an earlier controller has to report."""


class Folders(Protocol):
    """Folders by path. All methods block, and are called in a thread.

    `root` is the folder in which users begin, empty if there is none.
    """

    root: str

    def preview(self, order: SnapshotOrder) -> SnapshotPreview:
        """Return what a snapshot would store now."""

    def environment(self, prefix: str) -> EnvironmentPart | None:
        """Return what is installed in a Python prefix, None where that cannot be read."""

    def problem(self, folder: str) -> str:
        """Return why a folder cannot be made, empty if it can."""

    def exists(self, folder: str) -> bool:
        """Return whether anything has this path."""

    def space(self, folder: str) -> tuple[int, int] | None:
        """Return the file system of a folder to be made, and its free bytes; None if unknown."""

    def make(self, folder: str) -> None:
        """Make an empty folder, unless it is there. Raises StorageFailed."""

    def remove(self, folder: str) -> None:
        """Remove a folder with all that it contains. Raises StorageFailed."""


class DiskFolders:
    """Folders of this machine."""

    def __init__(self, root: str = "") -> None:
        self.root = os.path.realpath(root) if root else ""

    def preview(self, order: SnapshotOrder) -> SnapshotPreview:
        """Return what a snapshot would store now."""
        return preview(order)

    def environment(self, prefix: str) -> EnvironmentPart | None:
        """Return what is installed in a Python prefix, None where that cannot be read."""
        return environment(prefix)

    def problem(self, folder: str) -> str:
        """Return why a folder cannot be made, empty if it can."""
        parent = Path(folder).parent
        if not parent.is_dir():
            return f"{parent} is not a folder."
        if not os.access(parent, os.W_OK | os.X_OK):
            return f"You may not write to {parent}."
        return ""

    def exists(self, folder: str) -> bool:
        """Return whether anything has this path."""
        return os.path.lexists(folder)

    def space(self, folder: str) -> tuple[int, int] | None:
        """Return the file system of a folder to be made, and its free bytes; None if unknown."""
        there = next((each for each in Path(folder).parents if each.is_dir()), Path("/"))
        try:
            return there.stat().st_dev, shutil.disk_usage(there).free
        except OSError:
            return None

    def make(self, folder: str) -> None:
        """Make an empty folder, unless it is there. Raises StorageFailed."""
        try:
            Path(folder).mkdir(exist_ok=True)
        except OSError as error:
            raise StorageFailed(
                f"{folder} cannot be made: {error.strerror}.", hint="Name another folder."
            ) from error

    def remove(self, folder: str) -> None:
        """Remove a folder with all that it contains. Raises StorageFailed."""
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageFailed(
                f"{folder} cannot be removed: {error.strerror}.", hint="Remove it yourself."
            ) from error


class Fetching:
    """Starts these jobs, and waits for them."""

    def __init__(
        self,
        board: JobBoard,
        jobs: Callable[[str], Job],
        launcher: Launcher,
        lake: Callable[[str], Lake | None],
        patience: float = GONE,
    ) -> None:
        self._board = board
        self._jobs = jobs
        self._launcher = launcher
        self._lake = lake
        self._patience = patience
        self._ends: dict[str, asyncio.Event] = {}

    def ended(self, job: Job) -> None:
        """Note a job that has ended."""
        if waiting := self._ends.pop(job.id, None):
            waiting.set()

    async def fetch(self, record: Record, trees: Sequence[Tree], folders: Folders) -> None:
        """Write trees of a restore; each folder appears as a whole.

        Raises Conflict, Damaged, StorageFailed.
        """
        await self.start(record.shown.job, trees, record.shown.owner)
        try:
            await self._end(record.shown.job)
        except GpuQuotaError:
            # Killed processes leave something; of others, nothing is there.
            await self._swept(record, folders)
            raise

    async def outlast(self, record: Record, folders: Folders) -> None:
        """Wait for the job of an earlier controller, and remove what it has left incomplete."""
        await self._outlast(record)
        await self._swept(record, folders)

    async def _swept(self, record: Record, folders: Folders) -> None:
        for each in record.trees:
            await in_thread(folders.remove, staging(each.folder, record.shown.job))

    async def start(self, job: str, trees: Sequence[Tree], user: str) -> Job:
        """Start to write the files of trees of one lake, each to its new folder."""
        order = Order(
            kind="restore",
            id=job,
            user=user,
            lake=self._lake(trees[0].lake),
            cache=False,
            trees=tuple(Placed(f"{each.dataset}@{each.version}", each.folder) for each in trees),
            variables=any(each.variables for each in trees),
            size=sum(each.size for each in trees),
        )
        begun = await self._board.start(order.job_report(), job, user)
        await self._launcher.start(order)
        return begun

    async def reports(self, job: str) -> bool:
        """Return whether the process of a job that an earlier controller has begun reports soon."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._ended(job)
        found = self._jobs(job)
        return bool(found.pid) or not found.active

    async def _outlast(self, record: Record) -> None:
        """Wait until the job of an earlier controller has ended, or is known to be gone."""
        shown = record.shown
        report = JobReport(kind="restore", folder=shown.folder, state="running")
        await self._board.start(report, shown.job, shown.owner)
        if await self.reports(shown.job):
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
