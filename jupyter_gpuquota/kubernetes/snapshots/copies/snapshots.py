"""Copies by VolumeSnapshot: one claim at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...api import Api, Fault
from ...objects.snapshots import VolumeSnapshot
from ...quantities import units
from ..discovery import is_installed
from ..kinds import CONTENTS, SNAPSHOT_GROUP, SNAPSHOTS
from ..order import Order, Patience, Taken, copy_name, taken
from ..plan import Batch
from .provider import Copy, copy_of, selector
from .writing import FORBIDDEN, NOT_FOUND, created, deleted, existing, ready, reported


class SnapshotProvider:
    """VolumeSnapshots of single claims."""

    def __init__(self, api: Api, patience: Patience) -> None:
        self._api = api
        self._patience = patience

    async def take(self, order: Order, batch: Batch) -> list[Taken]:
        """Take the snapshot of a claim. Raises NotTaken, Fault."""
        [claim] = batch.claims
        name = copy_name(order, claim)
        meta = {"name": name, "namespace": order.namespace, "labels": order.labels}
        spec = {
            "volumeSnapshotClassName": batch.snapshot_class,
            "source": {"persistentVolumeClaimName": claim},
        }
        await created(self._api, SNAPSHOTS, meta, spec)

        async def look() -> tuple[VolumeSnapshot | None, str]:
            return reported(await self._api.get(SNAPSHOTS, order.namespace, name))

        return [taken(batch, claim, name, size_of(await ready(look, self._patience)))]

    async def drop(self, order: Order, batch: Batch) -> None:
        """Delete a snapshot that could not be taken; its driver would go on trying."""
        for claim in batch.claims:
            await deleted(self._api, SNAPSHOTS, order.namespace, copy_name(order, claim))

    async def find(self, namespace: str, name: str) -> Copy | None:
        """Return a snapshot. Raises Fault."""
        seen = await existing(self._api, SNAPSHOTS, namespace, name)
        return _copy(seen) if seen else None

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return the snapshots, members of groups too; none where there is no such kind."""
        return [_copy(each) for each in await self._of(namespace, order)]

    async def remove(self, namespace: str, order: str) -> None:
        """Begin to delete the snapshots of an order. Raises Fault."""
        snapshots = await self._of(namespace, order)
        await self._free(snapshots)
        for each in snapshots:
            await deleted(self._api, SNAPSHOTS, *each.key, uid=each.metadata.uid)

    async def free(self, namespace: str, order: str) -> None:
        """Let the storage go with the snapshots, although their class would retain it."""
        await self._free(await self._of(namespace, order))

    def source(self, name: str) -> Mapping[str, str]:
        """Return the `dataSource` of a claim that is filled from a snapshot."""
        return {"apiGroup": SNAPSHOT_GROUP, "kind": SNAPSHOTS.kind, "name": name}

    async def _free(self, snapshots: Sequence[VolumeSnapshot]) -> None:
        for each in snapshots:
            if name := each.status.bound_volume_snapshot_content_name:
                try:
                    body = {"spec": {"deletionPolicy": "Delete"}}
                    await self._api.patch(CONTENTS, "", name, body)
                except Fault as fault:
                    if fault.status not in (FORBIDDEN, NOT_FOUND):
                        raise  # otherwise the class decides: see docs/kubernetes.md

    async def _of(self, namespace: str, order: str) -> Sequence[VolumeSnapshot]:
        try:
            return await self._api.list(SNAPSHOTS, namespace, selector(order))
        except Fault as fault:
            if fault.status in (FORBIDDEN, NOT_FOUND) and not await is_installed(self._api):
                return ()
            raise


def size_of(snapshot: VolumeSnapshot) -> int:
    """Return the bytes that the content of a snapshot needs, 0 if the driver does not say."""
    size = snapshot.status.restore_size
    return units(size) if size is not None else 0


def _copy(seen: VolumeSnapshot) -> Copy:
    return copy_of(seen.metadata, size_of(seen), is_ready=bool(seen.status.ready_to_use))
