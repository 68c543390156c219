"""The caches of all projects: which claim each has, and what is known of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from ...core.datasets.eviction import room as room_of
from ...errors import NotFound, WrongState
from ...model.datasets.caches import CachedVersion, CacheRoom, Lease
from ..api import Api, Fault
from ..faults import error as explained
from ..objects.storage import Claim
from ..quantities import units
from ..resources import CLAIMS
from .marks import Copy, Marks, marked
from .task import Task

LeasesOf = Callable[[Copy], tuple[Lease, ...]]
"""Returns the sessions that use a version on this claim."""

_NEVER = datetime.fromtimestamp(0, UTC)
_SHARED = "ReadWriteMany"
_NOT_FOUND = 404

LeasesIn = Callable[[str, Copy], tuple[Lease, ...]]
"""Returns the sessions that use a version from the cache in a namespace."""


@dataclass
class Running:
    """A Job that works on a claim, and how far it has come."""

    task: Task
    done: int = 0
    files: int = 0
    size: int = 0


@dataclass
class ProjectCache:
    """The cache on one claim.

    `capacity` is that of the claim and `free` what its file system has left, in bytes. `index` is
    what the last Job has found there, at the time `read`; until then nothing is known.
    """

    namespace: str
    claim: str
    marks: Marks
    leases: LeasesOf
    capacity: int = 0
    free: int = 0
    read: datetime = _NEVER
    index: dict[Copy, CachedVersion] = field(default_factory=dict)
    running: dict[str, Running] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether the claim was read."""
        return self.read > _NEVER

    def replace(self, versions: Iterable[CachedVersion], free: int, read: datetime) -> None:
        """Take over an index, unless a newer one is known."""
        if read >= self.read:
            self.index = {(each.dataset, each.version): each for each in versions}
            self.free, self.read = free, read

    def versions(self) -> list[CachedVersion]:
        """Return all versions, with leases and pins; those that are being fetched, too."""
        found = dict(self.index)
        for running in self.running.values():
            task = running.task
            copy = (task.dataset, task.version)
            if task.verb == "cache" and not self.has(copy):
                found[copy] = _fetching(running)
            elif task.verb == "evict":
                for each in task.copies:
                    if each in found:
                        found[each] = msgspec.structs.replace(found[each], state="clearing")
        return [
            msgspec.structs.replace(marked(each, self.marks), leases=self.leases(copy))
            for copy, each in sorted(found.items())
        ]

    def version(self, copy: Copy) -> CachedVersion | None:
        """Return one version, None if it is not there and is not being fetched."""
        return next((v for v in self.versions() if (v.dataset, v.version) == copy), None)

    def has(self, copy: Copy) -> bool:
        """Return whether a version is there whole."""
        found = self.index.get(copy)
        return found is not None and found.state == "cached"

    def fetch_of(self, copy: Copy) -> Running | None:
        """Return the fetch of a version, None if there is none."""
        found = (each for each in self.running.values() if each.task.verb == "cache")
        return next((f for f in found if (f.task.dataset, f.task.version) == copy), None)

    def room(self, now: datetime) -> CacheRoom:
        """Return how full the claim is."""
        return room_of(self.versions(), self.capacity, self.free, now)


def _fetching(running: Running) -> CachedVersion:
    task = running.task
    return CachedVersion(
        dataset=task.dataset,
        version=task.version,
        state="fetching",
        size=running.size or task.size,
        files=task.files,
        done=running.done,
        used=task.started,
    )


class ProjectCaches:
    """The caches by namespace; all projects share one if `shared` names its namespace.

    `claim` is the name of each one's claim, empty if the cluster has no caches.
    """

    def __init__(self, api: Api, claim: str, shared: str, leases: LeasesIn) -> None:
        self._api = api
        self.claim = claim
        self._shared = shared
        self._leases = leases
        self._projects: dict[str, ProjectCache] = {}
        self._opening = asyncio.Lock()

    def __iter__(self) -> Iterator[ProjectCache]:
        """Yield all that were opened."""
        return iter(list(self._projects.values()))

    def namespace_of(self, project: str) -> str:
        """Return the namespace in which Jobs work on the cache of a project."""
        return self._shared or project

    def at(self, namespace: str) -> ProjectCache | None:
        """Return the cache in a namespace, None before it was opened."""
        return self._projects.get(namespace)

    async def open(self, namespace: str) -> ProjectCache:
        """Return the cache in a namespace, with its claim as it is now.

        Raises NotFound if there is no such claim, WrongState if only one node may mount it,
        NotAllowed, Unavailable.
        """
        async with self._opening:
            claim = await self._read(namespace)
            cache = self._projects.get(namespace)
            if cache is None:
                marks = Marks(self._api, namespace, self.claim)
                try:
                    await marks.read()
                except Fault as fault:
                    raise explained(fault) from fault
                cache = ProjectCache(namespace, self.claim, marks, self._leases_of(namespace))
                self._projects[namespace] = cache
            cache.capacity = capacity_of(claim)
            return cache

    def versions(self) -> list[CachedVersion]:
        """Return what all caches have; a version that several have is one, with all who use it."""
        found: dict[Copy, CachedVersion] = {}
        for cache in self:
            for each in cache.versions():
                copy = (each.dataset, each.version)
                found[copy] = joined(found[copy], each) if copy in found else each
        return [found[copy] for copy in sorted(found)]

    def room(self, now: datetime) -> CacheRoom:
        """Return how full all caches are together."""
        return total(cache.room(now) for cache in self)

    async def _read(self, namespace: str) -> Claim:
        try:
            claim = await self._api.get(CLAIMS, namespace, self.claim)
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise explained(fault) from fault
            raise NotFound(
                f"The namespace {namespace} has no claim {self.claim}, so no cache of datasets.",
                hint="Ask an administrator to create it.",
            ) from fault
        if _SHARED not in claim.spec.access_modes:
            modes = ", ".join(claim.spec.access_modes)
            raise WrongState(
                f"The claim {self.claim} in {namespace} cannot be shared: {modes}.",
                hint=f"Ask an administrator for one that is {_SHARED}.",
            )
        return claim

    def _leases_of(self, namespace: str) -> Callable[[Copy], tuple[Lease, ...]]:
        return lambda copy: self._leases(namespace, copy)


def capacity_of(claim: Claim) -> int:
    """Return the bytes of a claim; 0 until it is bound, or where its volume does not say."""
    try:
        return units(claim.status.capacity.get("storage", 0))
    except ValueError:
        return 0


_RANK = ("cached", "fetching", "damaged", "clearing")
"""The state that is shown of copies in several caches: the first of these."""


def joined(one: CachedVersion, other: CachedVersion) -> CachedVersion:
    """Return the copies of a version in two caches as one."""
    first, second = sorted((one, other), key=_rank)
    pins = {pin.user: pin for pin in (*second.pins, *first.pins)}
    return CachedVersion(
        dataset=first.dataset,
        version=first.version,
        state=first.state,
        size=first.size,
        files=first.files,
        done=first.done,
        used=max(one.used, other.used),
        verified=first.verified,
        leases=(*one.leases, *other.leases),
        pins=tuple(pins.values()),
    )


def _rank(version: CachedVersion) -> int:
    return _RANK.index(version.state) if version.state in _RANK else len(_RANK)


def total(rooms: Iterable[CacheRoom]) -> CacheRoom:
    """Return how full several caches are together."""
    found = list(rooms)
    return CacheRoom(
        capacity=sum(room.capacity for room in found),
        used=sum(room.used for room in found),
        committed=sum(room.committed for room in found),
        evictable=sum(room.evictable for room in found),
        free=sum(room.free for room in found),
    )
