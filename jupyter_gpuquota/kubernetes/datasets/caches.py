"""The port `Caches` on a cluster: versions on claims, fetched and removed by Jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from ...core.datasets.eviction import kept_by_pin
from ...errors import InUse, NotAllowed, NotFound
from ...model.datasets.caches import CacheAnswer, CachedVersion, CacheRoom, Pin
from ...model.datasets.datasets import Dataset, Lake
from ...model.datasets.versions import Version
from ..faults import translated
from .marks import Copy
from .project_caches import ProjectCache, ProjectCaches
from .work import Work, named, new_task

LakeOf = Callable[[str], tuple[Dataset, Lake | None]]
"""Returns a dataset and its lake, None for a member's own. Raises NotFound."""


class ClaimCaches:
    """The cached versions of all projects."""

    def __init__(self, projects: ProjectCaches, work: Work, lake_of: LakeOf) -> None:
        self._projects = projects
        self._work = work
        self._lake_of = lake_of

    def all(self) -> tuple[CachedVersion, ...]:
        """Return all cached versions, with leases and pins."""
        return tuple(self._projects.versions())

    def room(self) -> CacheRoom:
        """Return how full the cache is."""
        return self._projects.room(datetime.now(UTC))

    def folder(self) -> str:
        """Return nothing: claims are mounted in pods only."""
        return ""

    async def fetch(self, version: Version, user: str) -> CacheAnswer:
        """Return the copy in the cache of the dataset's project, or start to fetch it.

        Raises NotFound, WrongState, Conflict, NotAllowed, Unavailable.
        """
        dataset, _ = self._lake_of(version.dataset)
        return await self.fetch_for(dataset.project, version, user)

    async def fetch_for(self, project: str, version: Version, user: str) -> CacheAnswer:
        """Return the copy in a project's cache, or start to fetch it. Raises as `fetch`."""
        dataset, lake = self._lake_of(version.dataset)
        if lake is None:
            raise own_lake(dataset.name)
        cache = await self._projects.open(self._projects.namespace_of(project))
        copy = (version.dataset, version.id)
        if cache.has(copy):
            return CacheAnswer(copy=cache.version(copy))
        if going := cache.fetch_of(copy):
            return CacheAnswer(copy=cache.version(copy), job=self._work.job(going.task))
        job = await self._work.fetch(cache, new_task("cache", user, version), lake)
        return CacheAnswer(copy=cache.version(copy), job=job)

    async def clear(self, dataset: str, version: str) -> None:
        """Remove a copy from all caches.

        Raises NotFound, InUse with the sessions that use it or whose pins keep it, NotAllowed,
        Unavailable.
        """
        copy = (dataset, version)
        found = list(self._having(copy))
        _check([each for _, each in found], named(copy))
        for cache, each in found:
            going = cache.fetch_of(copy)
            if going and each.state == "fetching":
                await self._work.cancel(going.task.id)
            elif each.state != "clearing":
                await self._work.evict(cache, [copy])

    async def pin(self, dataset: str, version: str, pin: Pin) -> CachedVersion:
        """Set the pin of a user. Raises NotFound, NotAllowed, Unavailable."""
        copy = (dataset, version)
        for cache, _ in self._having(copy):
            with translated():
                await cache.marks.pin(copy, pin)
        return self._found(copy)

    async def unpin(self, dataset: str, version: str, user: str) -> CachedVersion:
        """Remove the pin of a user. Raises NotFound, NotAllowed, Unavailable."""
        copy = (dataset, version)
        found = list(self._having(copy))
        if not any(pin.user == user for _, each in found for pin in each.pins):
            raise NotFound(
                f"{user} has no pin on {named(copy)}.", hint="List who has pinned it: data caches."
            )
        for cache, _ in found:
            with translated():
                await cache.marks.unpin(copy, user)
        return self._found(copy)

    async def verify(self, version: Version, user: str) -> None:
        """Start to hash all copies of a version again. Raises NotFound, NotAllowed, Unavailable."""
        _, lake = self._lake_of(version.dataset)
        for cache, _ in self._having((version.dataset, version.id)):
            await self._work.start(cache, new_task("verify", user, version), lake)

    def _having(self, copy: Copy) -> Iterator[tuple[ProjectCache, CachedVersion]]:
        """Yield the caches that have a version. Raises NotFound if none has."""
        found = [(cache, each) for cache in self._projects if (each := cache.version(copy))]
        if not found:
            raise NotFound(
                f"{named(copy)} is not cached.", hint="jupyter gpu data cache fetches it."
            )
        yield from found

    def _found(self, copy: Copy) -> CachedVersion:
        return next(
            each for each in self._projects.versions() if (each.dataset, each.version) == copy
        )


def _check(copies: Iterable[CachedVersion], name: str) -> None:
    """Raise InUse where a session or a pin keeps one of the copies of a version."""
    found = list(copies)
    if users := {lease.name for each in found for lease in each.leases}:
        raise InUse(
            f"{name} is used by {', '.join(sorted(users))}.", hint="Stop these sessions first."
        )
    now = datetime.now(UTC)
    if pinned := {pin.user for each in found for pin in kept_by_pin(each, now)}:
        raise InUse(
            f"{name} is pinned by {', '.join(sorted(pinned))}.", hint="Remove the pins first."
        )


def own_lake(dataset: str) -> NotAllowed:
    """Return why a dataset in a member's own lake is not cached, and what to do instead."""
    return NotAllowed(
        f"{dataset} is in a member's own lake. The cache of a cluster is filled by Jobs, which "
        "have no credentials for it.",
        hint="Export it, and sync that folder to a dataset in a lake of the administrators.",
    )
