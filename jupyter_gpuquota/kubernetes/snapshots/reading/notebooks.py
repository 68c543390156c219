"""The notebooks of copies, stored beside the manifest of their snapshot by their content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from ....core.snapshots import identity
from ....core.snapshots.notebooks import Choice, choose
from ....errors import Damaged, NotFound
from ....model.snapshots.snapshots import Snapshot
from ....store.tasks import in_thread
from .files import Entries, Read, StoredFiles


def chosen(entries: Entries) -> Choice:
    """Return which notebooks of a volume are stored, and why others are not."""
    return choose((each.path, each.size, each.sha256) for each in entries)


class StoredNotebooks:
    """The notebooks of the volumes of one snapshot, each content once."""

    def __init__(self, files: StoredFiles, snapshot: Snapshot) -> None:
        self._files = files
        self._snapshot = snapshot

    async def get(self, digest: str) -> bytes | None:
        """Return a notebook, None if it is not stored. Raises Damaged, Unavailable."""
        try:
            body = await self._files.objects(self._snapshot).get(self._key(digest))
        except NotFound:
            return None
        if hashlib.sha256(body).hexdigest() != digest:
            raise Damaged("The notebook in the lake is damaged.")
        return body

    async def put(self, digest: str, body: bytes) -> None:
        """Store a notebook. Raises Unavailable, NotFound."""
        await self._files.objects(self._snapshot).create(self._key(digest), body)

    async def lacking(self, read: Mapping[str, Read]) -> set[str]:
        """Return the sha256 of those that are not stored yet.

        They are of the lists that are recorded, or will be. Raises Damaged, Unavailable.
        """
        wanted: set[str] = set()
        for volume, one in read.items():
            entries = await self._files.get(self._snapshot, volume)
            if entries is None:
                entries = () if one.unread else one.entries
            stored, _ = await in_thread(chosen, entries)
            wanted |= stored.keys()
        return wanted - await self._there() if wanted else wanted

    async def _there(self) -> set[str]:
        objects, owner = self._files.objects(self._snapshot), self._snapshot.owner
        keys = [each.key async for each in objects.list(identity.folder(owner))]
        own = identity.keys_of(owner, self._snapshot.id, keys)
        return {each.rpartition(".")[2] for each in own}

    def _key(self, digest: str) -> str:
        return identity.file_key(self._snapshot.owner, self._snapshot.id, digest)
