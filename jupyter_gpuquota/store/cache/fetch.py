"""Fetching a version from a lake into a cache.

Fetches announce themselves, so that two of one version cost one download. Nothing depends on it: a
process that does not see another one fetches too, and the first that is ready publishes its copy.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...errors import StorageFailed
from .. import manifest, published
from ..disk.failures import free, storage
from ..fetch import Download, total
from ..lake import layout
from ..lake.objects import Objects
from ..processes import this_process
from ..progress import Progress, Report
from ..tasks import in_thread
from . import index, records, sweep
from .check import strip
from .index import FolderClock, renewed
from .places import MANIFEST, Place, places
from .records import Complete, Fetching
from .reuse import Reuse, plan

_RENEWAL = 1.0
"""Seconds from one sign of life to the next."""

_log = logging.getLogger(__name__)
_PAUSE = 0.5
"""Seconds between looks at another process's fetch of the same version."""


class Announcement:
    """The record of a fetch by this process."""

    def __init__(self, place: Place, job: str) -> None:
        self._place = place
        self._name = f"{job or 'fetch'}-{uuid.uuid4().hex[:12]}"
        self._record = Fetching(job=job, owner=this_process())

    @property
    def part(self) -> Path:
        """The folder that this fetch writes."""
        return self._place.side / "fetching" / f"{self._name}.part"

    @property
    def path(self) -> Path:
        """The record."""
        return self._place.side / "fetching" / f"{self._name}.json"

    def tell(self, progress: Progress) -> None:
        """Note how far the fetch is; it is written with the next sign of life."""
        self._record = msgspec.structs.replace(
            self._record,
            size=progress.all_bytes,
            files=progress.all_files,
            done=progress.bytes,
        )

    def write(self) -> None:
        """Write the record: a sign of life."""
        records.write(self.path, self._record, durable=False)
        if not self._record.since:
            stamp = self.path.stat().st_mtime_ns
            self._record = msgspec.structs.replace(self._record, since=stamp)
            records.write(self.path, self._record, durable=False)

    def earlier(self) -> Fetching | None:
        """Return the oldest running fetch of the version if it began before this one."""
        for name, record in index.fetches(self._place, FolderClock(self._place.root)):
            return None if name == self._name else record
        return None

    def withdraw(self) -> None:
        """Remove the record."""
        self.path.unlink(missing_ok=True)


@asynccontextmanager
async def announced(place: Place, job: str) -> AsyncIterator[Announcement]:
    """Announce a fetch, and give signs of life until it ends. Raises OSError."""
    own = Announcement(place, job)
    try:
        await in_thread(own.write)
        renewing = asyncio.create_task(_renew(own))
        try:
            yield own
        finally:
            renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await renewing
    finally:
        await in_thread(own.withdraw)


async def _renew(own: Announcement) -> None:
    while True:
        await asyncio.sleep(_RENEWAL)
        try:
            await in_thread(own.write)
        except OSError as error:
            # On a full disk, others may take this fetch for dead; it still ends well or fails.
            _log.warning("The progress of a fetch cannot be written: %s", error)


async def fetch(place: Place, objects: Objects, report: Report, job: str = "") -> Path:
    """Return the folder with a version's files; fetch it if the cache does not have it.

    What other cached versions of any dataset have is linked, or copied, and not fetched. While
    another process fetches the same version, this one waits and reports its progress. What a dead
    one has left is verified and used. `job` names the fetch in the cache.

    :raises NotFound: the lake has no such version, or lacks an object of it.
    :raises Damaged: the lake's copy is not what the version says.
    :raises StorageFailed: the disk is full or read-only; nothing is left of the fetch.
    """
    with storage(place.root):
        if await in_thread(lambda: place.is_cached):
            return place.tree
        async with announced(place, job) as own:
            if not await _done_by_another(place, own, report):
                await _fetch(place, own, objects, report)
    return place.tree


async def _done_by_another(place: Place, own: Announcement, report: Report) -> bool:
    """Wait for an earlier fetch of the same version; return whether the version is there then."""
    while not await in_thread(lambda: place.is_cached):
        earlier = await in_thread(own.earlier)
        if earlier is None:
            return False
        there = Progress(bytes=earlier.done, all_files=earlier.files, all_bytes=earlier.size)
        own.tell(there)
        report(there)
        await asyncio.sleep(_PAUSE)
    return True


async def _fetch(place: Place, own: Announcement, objects: Objects, report: Report) -> None:
    def tell(progress: Progress) -> None:
        own.tell(progress)
        report(progress)

    body = await objects.get(layout.manifest(place.version))
    stats = await in_thread(lambda: total(manifest.decode([body], place.version)))
    async with _part(place, own) as resumed:
        tree = own.part / published.TREE
        reuse = await in_thread(_reuse, place, body, resumed=resumed)
        download = Download(objects, tree, tell, reuse=reuse)
        await download.run(manifest.read(body), stats)
        if resumed:
            await in_thread(strip, tree, manifest.read(body))
        await in_thread((own.part / MANIFEST).write_bytes, body)
        marker = Complete(stats.files, stats.bytes, _now(place))
        await in_thread(published.complete, own.part, place.folder, msgspec.json.encode(marker))


@asynccontextmanager
async def _part(place: Place, own: Announcement) -> AsyncIterator[bool]:
    """Make the folder to fill, of what a dead process left if it did; remove it at the end."""
    left = await in_thread(sweep.left_over, place)
    try:
        resumed = await in_thread(published.begin, own.part, left[0] if left else None)
        yield resumed
    finally:
        await in_thread(published.remove, own.part)


def _reuse(place: Place, body: bytes, *, resumed: bool) -> Reuse:
    """Return what makes files of other cached versions: the newest of the same dataset first.

    :raises StorageFailed: the disk has no room for the rest.
    """
    others = [each for each in places(place.root) if each != place and each.is_cached]
    others.sort(key=lambda each: (each.dataset != place.dataset, -renewed(each.marker)))
    found = plan((entry for entry, _ in manifest.read(body)), others)
    short = found.new - free(place.root)
    if short > 0 and not resumed:
        raise StorageFailed(
            f"The disk of {place.root} has {short} bytes too few for this version.",
            hint="Remove cached versions, or other files.",
        )
    return Reuse(found, resumed=resumed)


def _now(place: Place) -> datetime:
    """Return the time by the clock of the cache's file system."""
    return datetime.fromtimestamp(FolderClock(place.root).now() / 1e9, UTC)
