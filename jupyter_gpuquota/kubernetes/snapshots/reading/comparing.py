"""What differs in the files of two snapshots' volumes, as far as these were read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator

from msgspec.structs import replace

from ....control.datasets.files.entries import spelled
from ....core.snapshots.volumes import pairs
from ....errors import GpuQuotaError
from ....model.datasets.files import Difference
from ....model.snapshots.comparison import SnapshotComparison
from ....model.snapshots.manifest import Manifest
from ....model.snapshots.snapshots import Snapshot
from ....store import differences
from ....store.entries import Entry
from ....store.tasks import in_thread
from .cells import CellComparing, ReadSide
from .files import Entries, StoredFiles

_MOST = 1000
"""The most differing files in a comparison."""

Side = tuple[Snapshot, Manifest]


class FileComparing:
    """Compares the lists of files that verifications have stored."""

    def __init__(self, stored: StoredFiles) -> None:
        self._stored = stored
        self._cells = CellComparing(stored)

    async def added(
        self, found: SnapshotComparison, before: Side, after: Side
    ) -> SnapshotComparison:
        """Return a comparison with the files of volumes, below the path of each in its session.

        Of notebooks among them, and of those that the session has listed, cells are compared.
        """
        problems, unread = list(found.problems), set()
        olds, news, files = [], [], []
        for name, one, other in pairs(before[1], after[1]):
            if not (one and one.handle and other and other.handle):
                continue  # the comparison of volumes names it
            try:
                old = await self._stored.get(before[0], one.volume)
                new = await self._stored.get(after[0], other.volume)
            except GpuQuotaError as error:
                problems.append(f"The files of {name}: {error.message}")
                continue
            read = ((before[0].short, old), (after[0].short, new))
            unread |= {snapshot for snapshot, entries in read if entries is None}
            if old is not None and new is not None:
                olds.append(old)
                news.append(new)
                files += await in_thread(_changed, old, new, one.path.strip("/") or name)
        problems += map(_unread, sorted(unread))
        found = replace(
            found,
            files=(*found.files, *files)[:_MOST],
            all_files=found.all_files + len(files),
            problems=tuple(problems),
        )
        sides = _side(before, olds, unread), _side(after, news, unread)
        return await self._cells.added(found, sides, files)


def _side(side: Side, volumes: Iterable[Entries], unread: Collection[str]) -> ReadSide:
    snapshot, manifest = side
    return ReadSide(snapshot, manifest, tuple(volumes), snapshot.short not in unread)


def _unread(snapshot: str) -> str:
    return (
        f"The files of {snapshot} in volumes were not read yet: jupyter gpu snapshot verify "
        f"{snapshot} does it, then they and the cells of notebooks can be compared."
    )


def _changed(before: Entries, after: Entries, below: str) -> list[Difference]:
    return list(_differences(before, after, below))


def _differences(before: Entries, after: Entries, below: str) -> Iterator[Difference]:
    for each in differences.compare(before, after):
        old, new = each.before or Entry(""), each.after or Entry("")
        path, raw = spelled(os.fsencode(f"{below}/{each.path}"))
        yield Difference(
            path=path,
            raw=raw,
            change=each.change,
            before=old.size,
            after=new.size,
            sha256_before=old.sha256,
            sha256_after=new.sha256,
        )
