"""The files of copies as they were read, and as they are stored beside manifests.

What is stored has the lines of a version's manifest in a lake: paths with size and sha256.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....control.snapshots.registry import Registry
from ....core.snapshots import identity
from ....errors import Damaged, NotFound
from ....model.snapshots.snapshots import Snapshot
from ....store import lines, paths
from ....store.entries import Entry
from ....store.lake.objects import Objects
from ....store.tasks import in_thread

Entries = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a volume's copy: its files in order, and by path why some were not."""

    entries: Entries
    unread: Mapping[str, str]


def read_of(found: Mapping[str, Any]) -> Read:
    """Return what the script says of one copy. Raises ValueError, TypeError, KeyError."""
    entries = (Entry(*each) for each in found["entries"])
    ordered = sorted(entries, key=lambda each: paths.sort_key(each.path))
    return Read(tuple(ordered), {str(path): str(why) for path, why in found["unread"]})


class StoredFiles:
    """The lists of files in the lakes of the snapshots."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def objects(self, snapshot: Snapshot) -> Objects:
        """Return the objects of the lake that has a snapshot. Raises NotFound."""
        return self._registry.objects(self._registry.find(snapshot.id).lake)

    async def get(self, snapshot: Snapshot, volume: str) -> Entries | None:
        """Return the files of a volume's copy, None if it was never read.

        Raises Damaged, Unavailable.
        """
        objects = self.objects(snapshot)
        try:
            body = await objects.get(identity.files_key(snapshot.owner, snapshot.id, volume))
        except NotFound:
            return None
        return await in_thread(_decoded, body, volume)

    async def put(self, snapshot: Snapshot, volume: str, entries: Sequence[Entry]) -> None:
        """Store the files of a volume's copy, unless they are. Raises Unavailable, NotFound."""
        body = await in_thread(_encoded, entries)
        await self.objects(snapshot).create(
            identity.files_key(snapshot.owner, snapshot.id, volume), body
        )


def _encoded(entries: Iterable[Entry]) -> bytes:
    return zlib.compress(b"\n".join(map(lines.of_entry, entries)))


def _decoded(body: bytes, volume: str) -> Entries:
    try:
        found = zlib.decompress(body).split(b"\n")
    except zlib.error as error:
        raise Damaged(f"The list of the files of {volume} in the lake is damaged.") from error
    return tuple(lines.decode(each)[0] for each in found if each)
