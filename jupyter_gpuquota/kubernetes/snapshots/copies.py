"""The copies of claims that manifests name."""

from __future__ import annotations

from ...model.snapshots.manifest import Manifest, VolumePart
from ..api import Api, Fault
from ..faults import translated
from ..objects.snapshots import VolumeSnapshot
from .kinds import SNAPSHOTS
from .labels import SNAPSHOT
from .removing import Remover

_NOT_FOUND = 404


def place_of(part: VolumePart) -> tuple[str, str]:
    """Return the namespace and the name of the snapshot that a volume was copied to."""
    namespace, _, name = part.handle.partition("/")
    return namespace, name


class ClaimCopies:
    """The copies of claims that manifests name."""

    def __init__(self, api: Api, remover: Remover) -> None:
        self._api = api
        self._remover = remover

    async def remove(self, manifest: Manifest) -> None:
        """Remove all copies of a snapshot. Raises InUse, NotAllowed, Unavailable."""
        with translated():
            found = [await self._find(part) for part in manifest.volumes if part.handle]
        orders = {
            (each.metadata.namespace, each.metadata.labels.get(SNAPSHOT, ""))
            for each in found
            if each
        }
        for namespace, order in sorted(orders):
            await self._remover.remove(namespace, order)

    async def missing(self, manifest: Manifest) -> list[str]:
        """Return the volumes whose copies are gone or not usable. Raises Unavailable."""
        with translated():
            return [
                part.volume for part in manifest.volumes if not _is_ready(await self._find(part))
            ]

    async def _find(self, part: VolumePart) -> VolumeSnapshot | None:
        try:
            return await self._api.get(SNAPSHOTS, *place_of(part))
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise
            return None


def _is_ready(snapshot: VolumeSnapshot | None) -> bool:
    return snapshot is not None and bool(snapshot.status.ready_to_use)
