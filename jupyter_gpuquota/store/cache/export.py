"""Writing a version to a folder of its own, where its files may be changed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from pathlib import Path

from ...errors import Conflict, NotFound, Unavailable
from ...model.datasets.versions import SHOWN
from .. import manifest, published
from ..disk.failures import storage
from ..disk.files import Modes, flush, sync_path, writable
from ..fetch import Download, total
from ..lake import layout
from ..lake.objects import Readable
from ..progress import Report
from ..tasks import in_thread
from .places import Place
from .reuse import Reuse, plan


async def export(
    version: str, folder: Path, objects: Readable | None, place: Place | None, report: Report
) -> None:
    """Write a version to a folder that is new or empty; it is filled at once, when it is complete.

    Files are copied from the cached copy at `place`, sharing its blocks where the file system can,
    and verified; what is not there, or is damaged, is fetched. They are never names of cached
    files.

    :raises Conflict: the folder exists, and is not empty.
    :raises NotFound: the version is neither cached nor in the lake.
    :raises Damaged: the lake's copy is not what the version says.
    :raises StorageFailed: the disk is full or read-only.
    """
    target = folder.absolute()
    part = target.parent / f".{uuid.uuid4().hex}{published.PART_SUFFIX}"
    modes = writable()
    cached = place if place and place.is_cached else None
    _check(target)
    with storage(target.parent):
        if not (cached or objects):
            raise NotFound(f"{version[:SHOWN]} is not cached.", hint="Cache it: data cache.")
        source = objects or _Nowhere()
        body = cached.manifest.read_bytes() if cached else None
        body = body or await source.get(layout.manifest(version))
        stats = await in_thread(lambda: total(manifest.decode([body], version)))
        try:
            await in_thread(published.begin, part)
            reuse = await in_thread(_reuse, cached, body, modes) if cached else None
            tree = part / published.TREE
            download = Download(source, tree, report, reuse=reuse, modes=modes)
            await download.run(manifest.read(body), stats)
            await in_thread(_publish, tree, target)
        finally:
            await in_thread(published.remove, part)


def _reuse(cached: Place, body: bytes, modes: Modes) -> Reuse:
    """Return what copies files of the cached version."""
    wanted = (entry for entry, _ in manifest.read(body))
    return Reuse(plan(wanted, [cached]), link=False, modes=modes)


def _publish(tree: Path, target: Path) -> None:
    flush(tree)
    _check(target)
    tree.rename(target)
    sync_path(target.parent)


def _check(target: Path) -> None:
    """Raise Conflict unless a path is free, or an empty folder."""
    with storage(target.parent):
        if not os.path.lexists(target):
            return
        if target.is_symlink() or not target.is_dir() or any(target.iterdir()):
            raise Conflict(f"{target} exists already.", hint="Export to a new folder.")


class _Nowhere:
    """No lake at all."""

    async def get(self, key: str) -> bytes:
        """Raise Unavailable."""
        raise _missing()

    async def get_ranges(
        self, key: str, starts: Sequence[int], sizes: Sequence[int]
    ) -> list[bytes]:
        """Raise Unavailable."""
        raise _missing()


def _missing() -> Unavailable:
    return Unavailable(
        "The cached copy is damaged, and its lake was not named.",
        hint="Verify the copy: jupyter gpu data verify.",
    )
