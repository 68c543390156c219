"""The copies of claims that manifests name."""

from __future__ import annotations

from ....model.snapshots.manifest import Manifest, VolumePart
from ...faults import translated
from .copies import Copies
from .provider import Copy


class ClaimCopies:
    """The copies of claims that manifests name."""

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    async def remove(self, manifest: Manifest) -> None:
        """Remove all copies of a snapshot. Raises InUse, NotAllowed, Unavailable, Unsupported."""
        with translated():
            found = [await self._find(part) for part in manifest.volumes if part.handle]
        for namespace, order in sorted({(each.namespace, each.order) for each in found if each}):
            await self._copies.remove(namespace, order)

    async def missing(self, manifest: Manifest) -> list[str]:
        """Return the volumes whose copies are gone or not usable. Raises Unavailable."""
        found = []
        with translated():
            for part in manifest.volumes:
                copy = await self._find(part) if part.handle else None
                if copy is None or copy.is_going or not copy.is_ready:
                    found.append(part.volume)
        return found

    async def _find(self, part: VolumePart) -> Copy | None:
        namespace, _, name = part.handle.partition("/")
        return await self._copies.provider(part.provider).find(namespace, name)
