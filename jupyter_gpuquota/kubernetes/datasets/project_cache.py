"""What is known of the cache on one claim: its index, and the Jobs that change it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from ...core.datasets.eviction import room as room_of
from ...model.datasets.caches import CachedVersion, CacheRoom, Lease
from .marks import Copy, Marks, marked
from .task import Task

LeasesOf = Callable[[Copy], tuple[Lease, ...]]
"""Returns the sessions that use a version on this claim."""

_NEVER = datetime.fromtimestamp(0, UTC)


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
