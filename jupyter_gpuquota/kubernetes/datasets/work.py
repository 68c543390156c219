"""The work on claims: what is fetched, removed and looked at, each by a Job, and in which order."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...core.datasets.eviction import admit
from ...errors import Conflict, GpuQuotaError, Unavailable
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job
from ...model.datasets.versions import SHOWN, Version
from ..builders.helper_pod import CACHE_FOLDER, DataJob
from .jobs import DataJobs
from .marks import Copy
from .project_caches import ProjectCache
from .reporting import Reports
from .task import Task, Verb

_log = logging.getLogger(__name__)

_PREPARING = "The cache is being prepared."
_REMINDER = 10.0
"""Seconds between two reports of a fetch that is being prepared: silent jobs count as lost."""
_GIB = 2**30


@dataclass(frozen=True, eq=False)
class _Plan:
    """A fetch that is being prepared: it has no Job yet."""

    cache: ProjectCache
    task: Task
    work: asyncio.Task[None]


class Work:
    """Starts Jobs. A fetch first lets the claim be read, then what has to go for it be removed."""

    def __init__(self, jobs: DataJobs, reports: Reports) -> None:
        self._jobs = jobs
        self._reports = reports
        self._ends: dict[str, asyncio.Future[GpuQuotaError | None]] = {}
        self._looks: dict[str, Task] = {}
        self._plans: dict[str, _Plan] = {}

    async def close(self) -> None:
        """Stop preparing fetches; Jobs go on."""
        plans = [plan.work for plan in self._plans.values()]
        for plan in plans:
            plan.cancel()
        await asyncio.gather(*plans, return_exceptions=True)

    def job(self, task: Task) -> Job | None:
        """Return the job that users see of a task, None if there is none."""
        return self._reports.job(task)

    def over(self, task: Task, error: GpuQuotaError | None) -> None:
        """Take note that a task has ended."""
        end = self._ends.pop(task.id, None)
        if end and not end.done():
            end.set_result(error)

    async def fetch(self, cache: ProjectCache, task: Task, lake: Lake) -> Job | None:
        """Begin to fetch a version, and return the job. Raises Conflict if there is no room."""
        if cache.known:
            to_evict(cache, task)
        job = await self._reports.begin(cache, task, _PREPARING)
        self._prepare(cache, task, self._fetch(cache, task, lake))
        return job

    async def start(self, cache: ProjectCache, task: Task, lake: Lake | None) -> None:
        """Start the Job of a task. Raises NotAllowed, Unavailable, Conflict."""
        await self._reports.begin(cache, task)
        try:
            await self._jobs.start(job_of(task, cache, lake), task)
        except GpuQuotaError as error:
            await self._reports.refuse(cache, task, error)
            raise

    async def evict(self, cache: ProjectCache, copies: Sequence[Copy]) -> Task:
        """Start to remove copies. Raises NotAllowed, Unavailable, Conflict."""
        # The job of one copy is shown to those who see its dataset, that of several to admins.
        dataset, version = copies[0] if len(copies) == 1 else ("", "")
        task = new_task("evict", "", copies=tuple(copies), dataset=dataset, version=version)
        await self.start(cache, task, None)
        return task

    async def look(self, cache: ProjectCache) -> Task:
        """Let a Job read the index of a claim, if none does. Raises as `evict`."""
        going = self._looks.get(cache.namespace)
        if going and going.id in cache.running:
            return going
        task = new_task("index", "")
        self._looks[cache.namespace] = task
        await self.start(cache, task, None)
        return task

    async def cancel(self, job: str) -> bool:
        """Let a job end; return whether there was one. Raises NotAllowed, Unavailable."""
        if plan := self._plans.get(job):
            self._reports.cancel(job)
            plan.work.cancel()
            await asyncio.wait([plan.work])
            if not self._jobs.has(job):
                await self._reports.refuse(plan.cache, plan.task, Conflict("It was cancelled."))
                return True
        if not self._jobs.has(job):
            return False
        self._reports.cancel(job)
        await self._jobs.cancel(job)
        return True

    # ── Inside ───────────────────────────────────────────────────────────────────────────────────

    def _prepare(self, cache: ProjectCache, task: Task, work: Coroutine[Any, Any, None]) -> None:
        plan = self._plans[task.id] = _Plan(cache, task, asyncio.create_task(work))
        plan.work.add_done_callback(lambda _: self._plans.pop(task.id, None))

    async def _fetch(self, cache: ProjectCache, task: Task, lake: Lake) -> None:
        """Read the claim, make room, and start the Job of a fetch."""
        try:
            if not cache.known:
                await self._until(await self.look(cache), task)
            if not cache.known:
                raise Unavailable(f"The claim {cache.claim} in {cache.namespace} cannot be read.")
            if going := to_evict(cache, task):
                await self._until(await self.evict(cache, going), task)
                to_evict(cache, task)
            await _whole(self._jobs.start(job_of(task, cache, lake), task))
        except GpuQuotaError as error:
            _log.info("%s is not fetched: %s", task.id, error)
            await self._reports.refuse(cache, task, error)

    async def _until(self, task: Task, waiting: Task) -> None:
        """Wait until a task has ended that another one waits for. Raises what it failed with."""
        end = self._ends.setdefault(task.id, asyncio.get_running_loop().create_future())
        while not end.done():
            await asyncio.wait({end}, timeout=_REMINDER)
            await self._reports.remind(waiting)
        if error := end.result():
            raise error


async def _whole(call: Coroutine[Any, Any, None]) -> None:
    """Await a call that is not left half-done when its caller is cancelled. Raises as the call."""
    doing = asyncio.create_task(call)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def to_evict(cache: ProjectCache, task: Task) -> tuple[Copy, ...]:
    """Return the copies that go so that a version can be fetched. Raises Conflict."""
    copy, now = (task.dataset, task.version), _now()
    others = [each for each in cache.versions() if (each.dataset, each.version) != copy]
    free = cache.free or cache.capacity
    plan = admit(others, task.size, cache.capacity or free, free, now)
    if plan.short:
        raise Conflict(
            f"{named(copy)} needs {task.size / _GIB:.1f} GiB, and the cache of {cache.namespace} "
            f"has {plan.short / _GIB:.1f} GiB too few: the rest is in use or pinned.",
            hint="Clear versions, remove pins, or ask an administrator for a larger claim.",
        )
    return tuple((each.dataset, each.version) for each in plan.evict)


def named(copy: Copy) -> str:
    """Return a version as users write it."""
    return f"{copy[0]}@{copy[1][:SHOWN]}"


def new_task(verb: Verb, user: str, of: Version | None = None, **more: Any) -> Task:
    """Return a new task on a version, or on none; `more` are other fields."""
    about: dict[str, Any] = {}
    if of:
        about = {"dataset": of.dataset, "version": of.id, "size": of.size, "files": of.files}
    return Task(id=new_id(), verb=verb, user=user, started=_now(), **about, **more)


def new_id() -> str:
    """Return the id of a new job."""
    return uuid.uuid4().hex[:12]


def _now() -> datetime:
    return datetime.now(UTC)


_REPORT = ("--report", "lines")


def job_of(task: Task, cache: ProjectCache, lake: Lake | None) -> DataJob:
    """Return the Job that does a task on a claim; `lake` is None where none is read."""
    return DataJob(
        id=task.id,
        verb=task.verb,
        namespace=cache.namespace,
        claim=cache.claim,
        arguments=(
            *_versions(task),
            *("--job", task.id, *_REPORT, "--cache", CACHE_FOLDER),
            *(("--capacity", str(cache.capacity)) if cache.capacity else ()),
            *(("--lake", lake.url) if lake else ()),
            *(("--only", task.only) if task.only else ()),
            *(("--grace", str(task.grace)) if task.verb == "gc" else ()),
            *(("--keep", *task.keep) if task.keep else ()),
        ),
        secret=_secret(lake),
    )


def _versions(task: Task) -> tuple[str, ...]:
    """Return the versions that a task works on; their ids are whole."""
    copies = ((task.dataset, task.version),) if task.dataset else task.copies
    return tuple(f"{dataset}@{version}" for dataset, version in copies)


def _secret(lake: Lake | None) -> str:
    """Return the Secret of a lake; a file of the controller's machine is not in pods."""
    return lake.credentials if lake and not lake.credentials.startswith("/") else ""
