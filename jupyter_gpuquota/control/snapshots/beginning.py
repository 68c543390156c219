"""The record of a restore that begins: everything that its steps need."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from ...core.snapshots.volumes import mounting
from ...errors import Conflict
from ...model.snapshots.restore import Restoration
from ...ports.snapshots import RestoreOrder
from ...store.spawn import new_id
from ..volumes.restored import RestoredVolumes
from ..volumes.store import VolumeRecord
from .records import NewVolume, Record, tree_of


def record_of(order: RestoreOrder, volumes: RestoredVolumes | None) -> Record:
    """Return the record of a restore, without a folder if there are volumes only.

    Raises Conflict for a snapshot without files.
    """
    tree, now = order.manifest.tree, datetime.now(UTC)
    if tree is None and not order.claims:
        raise Conflict("The snapshot has no files.", hint="See why: jupyter gpu snapshot show.")
    shown = Restoration(
        id=new_id(),
        snapshot=order.snapshot.id,
        owner=order.owner,
        state="fetching",
        folder=order.folder if tree else "",
        name=order.name if order.spec else "",
        job=new_id(),
        begun=now,
        updated=now,
        volumes=tuple(order.claims.values()),
        original=order.original,
    )
    return Record(
        shown=shown,
        tree=tree_of(tree, order.folder, variables=order.variables) if tree else None,
        spec=mounting(order.spec, order.claims) if order.spec else None,
        volumes=tuple(_volumes(order, shown, volumes)) if volumes else (),
    )


def _volumes(
    order: RestoreOrder, shown: Restoration, volumes: RestoredVolumes
) -> Iterator[NewVolume]:
    """Yield the volumes to make; each may become as large as its original may now."""
    sizes = volumes.sizes(order.manifest.project)
    for part in order.manifest.volumes:
        if part.tree and part.volume in order.claims:
            record = VolumeRecord(
                name=order.claims[part.volume],
                project=order.manifest.project,
                owner=order.owner,
                description=f"{part.volume} of the snapshot {order.snapshot.short}.",
                size=sizes.get(part.volume, 0),
                created=shown.begun,
            )
            folder = volumes.folder(record, shown.id)
            yield NewVolume(record=record, tree=tree_of(part.tree, folder))
