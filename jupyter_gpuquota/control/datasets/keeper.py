"""What is in a cache, who uses it, what goes, and what may be fetched."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from ...core.datasets import eviction
from ...core.datasets.eviction import RulesOf
from ...errors import Conflict, GpuQuotaError, InUse, NotFound
from ...model.datasets.caches import CachedVersion, CacheRoom, Lease
from ...model.datasets.jobs import Job
from ...model.datasets.versions import SHOWN
from ...model.sessions import Session
from .cache import Cache
from .job_board import JobStore

Copy = tuple[str, str]
"""A version by its dataset and its id."""

Leases = Callable[[], Mapping[Copy, tuple[Lease, ...]]]
"""Returns the leases of now."""

_OVER = frozenset({"suspended", "stopped", "done", "failed"})


def leases_of(sessions: Iterable[Session]) -> dict[Copy, tuple[Lease, ...]]:
    """Return the leases of sessions that are queued or live."""
    found: dict[Copy, list[Lease]] = defaultdict(list)
    for session in sessions:
        if session.state in _OVER:
            continue
        lease = Lease(
            session=session.id,
            name=session.spec.name,
            project=session.spec.project,
            since=session.since,
        )
        for copy in dict.fromkeys((each.dataset, each.version) for each in session.spec.data):
            found[copy].append(lease)
    return {copy: tuple(leases) for copy, leases in found.items()}


class Keeper:
    """Keeps a cache in order. `changed` is called after every change; `problem` is shown."""

    def __init__(
        self,
        cache: Cache,
        jobs: JobStore,
        leases: Leases,
        rules: RulesOf,
        now: Callable[[], datetime],
        changed: Callable[[], None],
    ) -> None:
        self.cache = cache
        self.leases = leases
        self.now = now
        self.problem = ""
        self._jobs = jobs
        self._rules = rules
        self._changed = changed
        self._index: Mapping[Copy, CachedVersion] = {}
        self._space = (0, 0)
        self._planning = asyncio.Lock()
        self._going: set[Copy] = set()
        """What is being removed: from the decision on nothing starts to use it."""

    def all(self) -> tuple[CachedVersion, ...]:
        """Return all cached versions, with leases and pins."""
        leases = self.leases()
        found = {**self._announced(), **self._index}
        for copy in self._going & found.keys():
            found[copy] = replace(found[copy], state="clearing")
        return tuple(replace(found[copy], leases=leases.get(copy, ())) for copy in sorted(found))

    def room(self) -> CacheRoom:
        """Return how full the cache is."""
        return eviction.room(self.all(), *self._space, self.now())

    def find(self, dataset: str, version: str) -> CachedVersion | None:
        """Return one cached version, None if nothing of it is there."""
        wanted = (dataset, version)
        return next((each for each in self.all() if _copy(each) == wanted), None)

    def fetching(self, dataset: str, version: str) -> Job | None:
        """Return the job that fetches a version."""
        wanted = (dataset, version)
        return next((job for job in self._fetches() if (job.dataset, job.version) == wanted), None)

    def verifying(self) -> bool:
        """Return whether a version is being verified."""
        return any(job.active and job.kind == "verify" for job in self._jobs.all())

    async def clear(self, dataset: str, version: str) -> None:
        """Remove a copy that no session uses. Raises NotFound, InUse, StorageFailed."""
        leases = self.leases().get((dataset, version), ())
        name = f"{dataset}@{version[:SHOWN]}"
        if leases:
            users = ", ".join(lease.name for lease in leases)
            raise InUse(f"{name} is used by {users}.", hint="Stop these sessions first.")
        if not await self._remove([(dataset, version)]):
            raise NotFound(f"{name} is not cached.", hint="jupyter gpu data caches lists what is.")

    async def admit(self, job: Job) -> None:
        """Make room for the version that a job fetches. Raises Conflict, StorageFailed."""
        async with self._planning:
            await self.refresh()
            wanted = (job.dataset, job.version)
            there = [each for each in self.all() if _copy(each) != wanted]
            plan = eviction.admit(there, job.size, *self._space, self.now())
            if plan.short:
                raise Conflict(
                    f"The cache is too full for {job.dataset}@{job.version[:SHOWN]}: "
                    f"{plan.short} more bytes are needed.",
                    hint="Clear or unpin cached versions, or stop sessions that use them.",
                )
            await self._evict(plan.evict)

    async def tidy(self) -> None:
        """Remove the versions that the rules do not keep; note what sessions use now."""
        await self.refresh()
        now = self.now()
        for dataset, version in self.leases():
            if (dataset, version) in self._index:
                await self.cache.use(dataset, version, now)
        async with self._planning:
            capacity, _ = self._space
            await self._evict(eviction.due(self.all(), capacity, self._rules, now))

    async def refresh(self) -> None:
        """Read the cache; if that fails, what was read last stays, and `problem` says why."""
        before = (self._index, self.problem)
        try:
            found = await self.cache.read()
            self._space = await self.cache.space()
            self._index = {_copy(each): each for each in found}
            self.problem = ""
        except GpuQuotaError as error:
            self.problem = error.message
        if before != (self._index, self.problem):
            self._changed()

    async def _evict(self, versions: Sequence[CachedVersion]) -> None:
        if versions:
            await self._remove([_copy(each) for each in versions])

    async def _remove(self, copies: Sequence[Copy]) -> bool:
        """Remove versions that no session uses; return whether one of them was there."""
        gone, removed = set[Copy](), False
        try:
            for copy in copies:
                # A session may have begun to use it while others were removed.
                if not self.leases().get(copy):
                    gone.add(copy)
                    self._going.add(copy)
                    removed |= await self.cache.evict(*copy, self.now())
        finally:
            await self.refresh()
            self._going -= gone
        return removed

    def _announced(self) -> dict[Copy, CachedVersion]:
        """Return the versions that are going to be fetched, of which nothing is there yet."""
        return {
            (job.dataset, job.version): CachedVersion(
                dataset=job.dataset,
                version=job.version,
                state="fetching",
                size=job.size,
                files=job.all_files,
                done=job.done,
                used=job.started,
            )
            for job in self._fetches()
            if job.state == "running"
        }

    def _fetches(self) -> list[Job]:
        return [job for job in self._jobs.all() if job.active and job.kind == "cache"]


def _copy(version: CachedVersion) -> Copy:
    return version.dataset, version.version
