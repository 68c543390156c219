"""What Jobs on cached datasets report: passed on to the job's list, and noted at their claim."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec.structs import replace

from ...errors import GpuQuotaError
from ...model.datasets.jobs import ACTIVE_JOBS, Job, JobReport
from ...model.datasets.lines import JobLine
from ...model.reasons import Reason
from ...model.struct import error_of, problem_of
from ..watching.cache import Key
from .project_caches import ProjectCache, Running
from .task import Task

_log = logging.getLogger(__name__)


class Registry(Protocol):
    """The list of jobs that users see."""

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        """Note what is reported of a job."""


@dataclass
class _Followed:
    """A Job that is followed: its last report, and the job that users see."""

    running: Running
    last: JobReport
    job: Job | None = None


class Reports:
    """Listens to the Jobs of all claims.

    `cache` returns the cache in a namespace, None if it was not opened; `changed` is called when
    what is known of a cache has changed, and `over` with each task that has ended, and its error.
    """

    def __init__(
        self,
        registry: Registry,
        cache: Callable[[str], ProjectCache | None],
        changed: Callable[[], None],
        over: Callable[[Task, GpuQuotaError | None], None],
    ) -> None:
        self._registry = registry
        self._cache = cache
        self._changed = changed
        self._over = over
        self._followed: dict[str, _Followed] = {}
        self._cancelled: set[str] = set()

    async def begin(self, cache: ProjectCache, task: Task, why: str = "") -> Job | None:
        """Note that a task is wanted; return the job that users see."""
        followed = self._of(task)
        cache.running[task.id] = followed.running
        self._changed()
        return await self._tell(task, replace(followed.last, state="waiting", reason=why))

    def job(self, task: Task) -> Job | None:
        """Return the job that users see of a task that has not ended."""
        followed = self._followed.get(task.id)
        return followed.job if followed else None

    async def remind(self, task: Task) -> None:
        """Report once more what was reported last: the task goes on."""
        await self._tell(task, self._of(task).last)

    async def refuse(self, cache: ProjectCache, task: Task, error: GpuQuotaError) -> None:
        """Note that a task ends before it had a Job."""
        await self._end(cache, task, error)

    def cancel(self, job: str) -> None:
        """Remember that a job ends because it was asked to."""
        self._cancelled.add(job)

    async def heard(self, key: Key, task: Task, at: datetime, line: bytes) -> None:
        """Take note of a line of a Job's log; lines that are not reports are passed over."""
        followed = self._of(task)
        try:
            said = msgspec.json.decode(line, type=JobLine)
        except msgspec.DecodeError:
            return
        followed.running.done, followed.running.size = said.report.done, said.report.size
        if said.index and (cache := self._cache(key[0])):
            cache.replace(said.index.items, said.index.room.free, at)
        if said.report.state in ACTIVE_JOBS:
            await self._tell(task, said.report)
        else:  # it counts once the Job has ended: until then its pod may still write
            followed.last = _of_task(task, said.report)
        self._changed()

    async def waits(self, key: Key, task: Task, why: Reason | None) -> None:
        """Take note of why a Job does not run yet."""
        if cache := self._cache(key[0]):
            cache.running.setdefault(task.id, self._of(task).running)
        last = self._of(task).last
        if last.state in ACTIVE_JOBS:
            state = "waiting" if why else last.state
            await self._tell(task, replace(last, state=state, reason=why.message if why else ""))

    async def ended(self, key: Key, task: Task, error: GpuQuotaError | None) -> None:
        """Take note that a Job has ended."""
        await self._end(self._cache(key[0]), task, error)

    async def _end(
        self, cache: ProjectCache | None, task: Task, error: GpuQuotaError | None
    ) -> None:
        followed = self._of(task)
        if cache:
            cache.running.pop(task.id, None)
        last = followed.last
        if task.id in self._cancelled and last.state != "done":
            last = replace(last, state="cancelled", problem=None)
        elif error and last.state in (*ACTIVE_JOBS, "done"):
            last = replace(last, state="failed", problem=problem_of(error))
        elif error is None and last.state in ACTIVE_JOBS:
            last = replace(last, state="done")
        await self._tell(task, last)
        self._cancelled.discard(task.id)
        self._followed.pop(task.id, None)
        self._over(task, error_of(last.problem) if last.problem else error)
        self._changed()

    async def _tell(self, task: Task, report: JobReport) -> Job | None:
        """Report to the list of jobs; a failure there is logged, as the Job goes on."""
        followed, report = self._of(task), _of_task(task, report)
        followed.last = report
        try:
            followed.job = await self._registry.report(task.id, report, task.user)
        except GpuQuotaError as error:
            _log.warning("the job %s cannot be listed: %s", task.id, error)
        return followed.job

    def _of(self, task: Task) -> _Followed:
        if task.id not in self._followed:
            first = _of_task(task, JobReport(kind=task.verb, state="waiting"))
            self._followed[task.id] = _Followed(Running(task), first)
        return self._followed[task.id]


def _of_task(task: Task, report: JobReport) -> JobReport:
    """Return a report as one of its task: what a pod's log says of others does not count."""
    return replace(
        report,
        kind=task.verb,
        dataset=task.dataset,
        version=task.version,
        folder="",
        host="",
        pid=0,
        begun=0,
        size=report.size or task.size,
        all_files=report.all_files or task.files,
    )
