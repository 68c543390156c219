"""The jobs that the controller knows: what their processes report, and what they shall do.

That a job has begun, and how it has ended, is stored; how far it is comes with its next report. A
controller that has just started lets nobody begin for a moment: processes may have begun while none
was running.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from itertools import count
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from ...core.datasets import jobs
from ...core.datasets.jobs import Known
from ...errors import Damaged, GpuQuotaError, NotFound, WrongState
from ...model.datasets.jobs import Job, JobReport, JobState
from ...model.struct import problem_of
from ...store.lake.objects import Objects
from ...store.processes import started

SETTLING = timedelta(seconds=1.5)
"""How long a new controller waits for the reports of running jobs: three of their intervals."""

_ASLEEP = timedelta(seconds=10)
"""A gap between two checks after which the controller itself was stopped, such as by a sleep."""

Admission = Callable[[Job], Awaitable[None]]
"""Makes room for what a job fetches; raises Conflict where there is none."""

Ended = Callable[[Job], None]
"""Called with every job that has ended."""


_PREFIX = "jobs/"
_SUFFIX = ".json"
"""The end of a job's key; its log lies beside it."""

_log = logging.getLogger(__name__)


class JobStore:
    """Jobs by id, also in the controller's own objects.

    They are replaced as a whole, so that readers need no lock.
    """

    def __init__(self, own: Objects) -> None:
        self.known: Mapping[str, Known] = MappingProxyType({})
        self._own = own
        self._stored: dict[str, tuple[str, str]] = {}

    async def load(self) -> None:
        """Read the jobs of earlier controllers. Raises StorageFailed, Unavailable."""
        stored = [each.key async for each in self._own.list(_PREFIX)]
        for key in (each for each in stored if each.endswith(_SUFFIX)):
            try:
                known = msgspec.json.decode(await self._own.get(key), type=Known)
            except (msgspec.DecodeError, Damaged) as error:
                _log.warning("The job in %s is left out: %s", key, error)
            else:
                self.put(known)
                self._stored[known.job.id] = _stage(known.job)

    async def save(self) -> None:
        """Store which jobs have begun or ended, and forget others. Raises StorageFailed."""
        for job, known in self.known.items():
            stage = _stage(known.job)
            if self._stored.get(job) != stage:
                await self._own.put(_key(job), msgspec.json.encode(replace(known, marks=())))
                self._stored[job] = stage
        gone = [job for job in self._stored if job not in self.known]
        await self._own.delete([_key(job) for job in gone])
        for job in gone:
            del self._stored[job]

    def all(self) -> tuple[Job, ...]:
        """Return all jobs, the newest first."""
        found = sorted(self.known.values(), key=lambda known: known.number, reverse=True)
        return tuple(known.job for known in found)

    def find(self, job: str) -> Known:
        """Return one job. Raises NotFound."""
        if job not in self.known:
            raise NotFound(f"Job {job!r} not found.", hint="jupyter gpu data jobs lists them.")
        return self.known[job]

    def put(self, known: Known) -> None:
        """Add or replace a job."""
        self.known = MappingProxyType({**self.known, known.job.id: known})

    def forget(self, jobs: list[str]) -> None:
        """Remove jobs."""
        rest = {name: known for name, known in self.known.items() if name not in jobs}
        self.known = MappingProxyType(rest)


def _key(job: str) -> str:
    return f"{_PREFIX}{job}{_SUFFIX}"


def _stage(job: Job) -> tuple[str, str]:
    """Return what of a job is worth a write: that it goes on or how it has ended, and a version."""
    return "" if job.active else job.state, job.version


class JobBoard:
    """The jobs by id; `changed` is called after every change.

    `ended` is called with every job that has ended, `frozen` with the id of each whose folder may
    be written again, at each of its reports.
    """

    def __init__(
        self,
        store: JobStore,
        now: Callable[[], datetime],
        changed: Callable[[], None],
        admission: Admission,
        ended: Ended,
        settling: timedelta = SETTLING,
        frozen: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._now = now
        self._changed = changed
        self._admission = admission
        self._ended = ended
        self._frozen = frozen
        self._settled = now() + settling
        self._checked = self._awake = now()
        self._numbers = count()

    async def load(self) -> None:
        """Read the jobs of earlier controllers. Raises StorageFailed, Unavailable."""
        await self._store.load()
        self._numbers = count(
            1 + max((each.number for each in self._store.known.values()), default=0)
        )

    async def save(self) -> None:
        """Store which jobs have begun or ended; a failure is logged, and it is tried again."""
        try:
            await self._store.save()
        except GpuQuotaError as error:
            _log.warning("Jobs cannot be stored: %s", error.message)

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        """Note what the process of a job reports, and return the job with what it shall do."""
        now = self._now()
        known = self._store.known.get(job) or jobs.begin(
            job, report, user, next(self._numbers), now
        )
        before = known.job
        known = jobs.reported(known, report, now)
        if before.state == "lost" and known.job.active and self._blocker(known):
            known = jobs.cancelled(known)
        self._store.put(known)
        if known.asks:
            await self._ask(known)
        self._note(before, self._store.find(job).job)
        if report.frozen:
            self._frozen(job)
        await self.save()
        return self._store.find(job).job

    async def start(self, report: JobReport, job: str, user: str) -> Job:
        """Note a job that the controller starts itself: on disk before it is answered.

        Raises Conflict where there is no room for what it fetches, StorageFailed.
        """
        now = self._now()
        known = jobs.reported(jobs.begin(job, report, user, next(self._numbers), now), report, now)
        if report.kind == "cache":
            await self._admission(known.job)
        self._store.put(jobs.granted(known))
        await self._store.save()
        self._changed()
        return self._store.find(job).job

    def fail(self, job: str, error: GpuQuotaError) -> None:
        """Note that a job has failed without a report of its process. Raises NotFound."""
        if self._store.find(job).job.active:
            self._end(job, "failed", error)

    def cancel(self, job: str) -> Job:
        """Ask a job to end. Raises NotFound, WrongState."""
        known = self._store.find(job)
        if not known.job.active:
            raise WrongState(
                f"The job {job} has ended: {known.job.state}.", hint="Nothing is left to cancel."
            )
        self._store.put(jobs.cancelled(known))
        self._changed()
        return self._store.find(job).job

    def check(self) -> None:
        """Find the jobs whose processes are gone; called every second.

        While the controller is stopped, nobody can be heard, and its own tasks cannot report.
        """
        now = self._now()
        if now - self._checked > _ASLEEP:
            self._awake = now
        self._checked = now
        for known in list(self._store.known.values()):
            if jobs.lost(known, now, _alive, self._awake):
                self._end(known.job.id, "lost")
        self._store.forget(jobs.forgotten(self._store.known.values()))

    async def _ask(self, known: Known) -> None:
        """Let a job begin if it may, or say what it waits for."""
        if known.job.cancelling:
            return
        if blocker := self._blocker(known):
            reason = f"Waiting for the {blocker.kind} of {blocker.user}."
            self._store.put(jobs.queued(known, reason))
        elif self._now() < self._settled:
            self._store.put(jobs.queued(known, "Waiting for other jobs to report."))
        elif known.job.kind == "cache":
            await self._admit(known)
        else:
            self._store.put(jobs.granted(known))

    async def _admit(self, known: Known) -> None:
        try:
            await self._admission(known.job)
        except GpuQuotaError as error:
            self._put_end(known.job.id, "failed", error)
        else:
            self._store.put(jobs.granted(self._store.find(known.job.id)))

    def _blocker(self, known: Known) -> Job | None:
        return jobs.blocker(known, self._store.known.values())

    def _end(self, job: str, state: JobState, error: GpuQuotaError | None = None) -> None:
        before = self._store.find(job).job
        self._note(before, self._put_end(job, state, error))

    def _put_end(self, job: str, state: JobState, error: GpuQuotaError | None) -> Job:
        """Note how a job has ended, and return it; who calls this announces it."""
        known = self._store.find(job)
        problem = problem_of(error) if error else None
        ended = replace(known.job, state=state, problem=problem, reason="", updated=self._now())
        self._store.put(replace(known, job=ended, asks=False))
        return ended

    def _note(self, before: Job, after: Job) -> None:
        """Announce a job that has changed, and one that has ended."""
        if before != after:
            self._changed()
        if before.active and not after.active:
            self._ended(after)


def _alive(known: Known) -> bool:
    """Return whether the process of a job runs; true where it is on another machine."""
    job = known.job
    if not job.pid or not known.begun or job.host != socket.gethostname():
        return True
    return started(job.pid) == known.begun
