"""Fetching a version from a lake into a cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ...errors import StorageFailed
from .. import manifest, published
from ..download import Download, total
from ..lake import layout
from ..lake.objects import Objects
from ..progress import Progress, Report
from ..tasks import in_thread
from . import announcing, sweep
from .announcing import Announcement
from .check import strip
from .failures import free, storage
from .index import renewed
from .owners import FolderClock
from .places import MANIFEST, Place, places
from .records import Complete
from .reuse import Reuse, plan

_PAUSE = 0.5
"""Seconds between looks at another process's fetch of the same version."""


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
        async with announcing.announced(place, job) as own:
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
