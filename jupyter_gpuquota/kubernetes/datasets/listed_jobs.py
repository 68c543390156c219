"""The port `Jobs` on a cluster: what processes of members report, and Jobs on claims."""

from __future__ import annotations

from msgspec.structs import replace

from ...control.datasets.job_board import JobBoard, JobStore
from ...errors import Conflict, FieldError, NotAllowed, NotFound, refused
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job, JobReport
from ...model.datasets.versions import Version
from .caches import own_lake
from .capability import ClusterDatasets
from .project_caches import ProjectCache
from .task import Task
from .work import named, new_task


class Listed:
    """The list of jobs, as Jobs on claims report to it."""

    def __init__(self, store: JobStore, board: JobBoard) -> None:
        self._store = store
        self._board = board

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        """Note what a Job reports: the cluster gives it its turn."""
        if job not in self._store.known:
            await self._board.start(report, job, user)
        return await self._board.report(job, report, user)


class ListedJobs:
    """The jobs that users see."""

    def __init__(self, store: JobStore, board: JobBoard, claims: ClusterDatasets) -> None:
        self._store = store
        self._board = board
        self._claims = claims

    def all(self) -> tuple[Job, ...]:
        """Return active jobs and the last ones that have ended, newest first."""
        return self._store.all()

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        """Note what the process of a job reports, and return the job with what it shall do.

        Fetches fail: processes of members have no cache to fetch to.
        """
        found = await self._board.report(job, report, user)
        if report.kind != "cache" or not found.active:
            return found
        self._board.fail(job, own_lake(report.dataset))
        return self._store.find(job).job

    async def cancel(self, job: str) -> Job:
        """Ask a job to end. Raises NotFound, WrongState, NotAllowed, Unavailable."""
        asked = self._board.cancel(job)
        await self._claims.work.cancel(job)
        return asked

    async def verify(self, version: Version, user: str, *, lake: bool, cache: bool) -> Job:
        """Start to hash a version again: in its lake, and its copy where it is cached.

        Raises NotFound, NotAllowed for a member's own lake, Conflict where nothing is to be done.
        """
        copy = (version.dataset, version.id)
        dataset, url = self._claims.lake_of(version.dataset)
        there = next((each for each in self._claims.projects if each.has(copy)), None)
        if lake and url is None and not (cache and there):
            raise NotAllowed(
                f"{dataset.name} is in a member's own lake, which the controller does not open.",
                hint=f"Verify it in a shell: jupyter gpu data verify {named(copy)}.",
            )
        if not lake and not there:
            raise Conflict(f"{named(copy)} is not cached.", hint="Cache it, or verify its lake.")
        only = "lake" if not (cache and there) else "" if lake and url else "cache"
        task = replace(new_task("verify", user, version), only=only)
        if not there:
            there = await self._claims.cache_of(dataset.project)
        return await self._start(there, task)

    async def collect(self, lake: str, user: str, grace: int) -> Job:
        """Start to remove what no version of a lake needs. Raises NotFound, Conflict."""
        wanted = next((each for each in self._claims.lakes() if each.name == lake), None)
        if wanted is None:
            raise NotFound(f"There is no lake {lake!r}.", hint="jupyter gpu data lakes lists them.")
        if grace < 0:
            raise refused(FieldError("grace", "It must not be negative."))
        cache = self._cache_for(wanted)
        # Its Job sees what is on one claim only; the controller knows of all.
        cached = {each.version for each in self._claims.projects.versions()}
        keep = tuple(sorted(cached))
        return await self._start(cache, new_task("gc", user, lake=lake, grace=grace, keep=keep))

    def _cache_for(self, lake: Lake) -> ProjectCache:
        """Return a cache beside which Jobs find the Secret of a lake. Raises Conflict."""
        claims = self._claims.projects
        users = {claims.namespace_of(project) for project in lake.projects}
        for cache in claims:
            if not users or cache.namespace in users:
                return cache
        raise Conflict(
            f"No project that may use the lake {lake.name} has a claim for datasets, where its "
            "Job could work.",
            hint="Create the claim in one of their namespaces.",
        )

    async def _start(self, cache: ProjectCache, task: Task) -> Job:
        await self._claims.start(cache, task)
        return self._store.find(task.id).job
