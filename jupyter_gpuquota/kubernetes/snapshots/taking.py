"""Taking snapshots of claims, and waiting until drivers have made them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from ...errors import Unavailable
from ..api import Api, Fault
from ..faults import error as explained
from ..objects.snapshots import GroupSnapshot, VolumeSnapshot
from ..quantities import units
from ..resources import CLAIMS, Resource
from .discovery import Offer
from .kinds import SNAPSHOTS, groups
from .labels import GROUPED
from .order import NotTaken, Order, Patience, Taken, group_name, selected, snapshot_name
from .persistence import persistently
from .plan import Batch, NoClass, one_by_one

T = TypeVar("T", VolumeSnapshot, GroupSnapshot)

_CONFLICT = 409
_NOT_FOUND = 404


class Taker:
    """Takes snapshots on one cluster."""

    def __init__(self, api: Api, patience: Patience | None = None) -> None:
        self._api = api
        self._patience = patience or Patience()

    async def take(self, order: Order, batches: Sequence[Batch], offer: Offer) -> list[Taken]:
        """Return what became of each claim; batches are taken at once.

        An order that was begun before is continued: objects have the same names.
        """
        done = await asyncio.gather(*(self._batch(order, batch, offer) for batch in batches))
        return [each for found in done for each in found]

    async def _batch(self, order: Order, batch: Batch, offer: Offer) -> list[Taken]:
        """Return what became of the claims of a batch, as soon as the cluster answers."""
        attempt = partial(self._attempt, order, batch, offer)
        try:
            return await persistently(attempt, self._patience)
        except Unavailable as error:
            return [Taken(claim=each, problem=error.message) for each in batch.claims]

    async def _attempt(self, order: Order, batch: Batch, offer: Offer) -> list[Taken]:
        """Return what became of the claims of a batch. Raises Unavailable."""
        try:
            if not batch.version:
                return [await self._single(order, batch)]
            return await self._group(order, batch)
        except NotTaken as error:
            if not batch.version:
                return [Taken(claim=batch.claims[0], problem=str(error))]
            return await self._apart(order, batch, offer, str(error))
        except Fault as fault:
            meant = explained(fault)
            if isinstance(meant, Unavailable):
                raise meant from fault
            return [Taken(claim=each, problem=fault.message) for each in batch.claims]

    async def _apart(self, order: Order, batch: Batch, offer: Offer, why: str) -> list[Taken]:
        """Take each claim of a group by itself, as the group could not be taken."""
        await self._drop(order, batch)
        try:
            singles = one_by_one(batch, offer, f"the group failed: {why}")
        except NoClass as error:
            return [Taken(claim=each, problem=str(error)) for each in batch.claims]
        done = await asyncio.gather(*(self._batch(order, each, offer) for each in singles))
        return [each for found in done for each in found]

    async def _single(self, order: Order, batch: Batch) -> Taken:
        claim = batch.claims[0]
        name = snapshot_name(order, claim)
        spec = {
            "volumeSnapshotClassName": batch.snapshot_class,
            "source": {"persistentVolumeClaimName": claim},
        }
        await self._create(SNAPSHOTS, order, name, spec)
        found = await self._ready(SNAPSHOTS, order.namespace, name)
        return _taken(claim, found, batch)

    async def _group(self, order: Order, batch: Batch) -> list[Taken]:
        """Take a group: it selects its claims by a label that they have for this time only."""
        key = f"{GROUPED}{order.id}"
        name, kind = group_name(order, batch), groups(batch.version)
        await self._mark(order.namespace, batch.claims, key, selected(batch))
        try:
            spec = {
                "volumeGroupSnapshotClassName": batch.snapshot_class,
                "source": {"selector": {"matchLabels": {key: selected(batch)}}},
            }
            await self._create(kind, order, name, spec)
            await self._ready(kind, order.namespace, name)
        finally:
            await self._mark(order.namespace, batch.claims, key, None)
        return await self._members(order, batch, name)

    async def _members(self, order: Order, batch: Batch, group: str) -> list[Taken]:
        """Return the members of a group, once all are ready; they get our labels, too."""
        deadline = asyncio.get_running_loop().time() + self._patience.ready
        while True:
            every = await self._api.list(SNAPSHOTS, order.namespace)
            members = {
                each.spec.source.persistent_volume_claim_name: each
                for each in every
                if each.status.volume_group_snapshot_name == group and each.status.ready_to_use
            }
            if members.keys() >= set(batch.claims):
                break
            if asyncio.get_running_loop().time() > deadline:
                raise NotTaken("the group has no snapshots of its claims")
            await asyncio.sleep(self._patience.pause)
        for claim in batch.claims:
            body = {"metadata": {"labels": order.labels}}
            await self._api.patch(SNAPSHOTS, order.namespace, members[claim].metadata.name, body)
        return [_taken(claim, members[claim], batch) for claim in batch.claims]

    async def _ready(self, kind: Resource[T], namespace: str, name: str) -> T:
        """Return an object once it is ready. Raises NotTaken after an error, or too long a time."""
        loop = asyncio.get_running_loop()
        deadline, failed = loop.time() + self._patience.ready, None
        while True:
            found = await self._api.get(kind, namespace, name)
            status = found.status
            if status.ready_to_use:
                return found
            now, said = loop.time(), status.error.message if status.error else ""
            failed = (failed or now) if said else None
            if failed and now - failed >= self._patience.error:
                raise NotTaken(f"the driver reports: {said}")
            if now >= deadline:
                took = f"not ready after {self._patience.ready:.0f} s"
                raise NotTaken(f"{took}; {said}" if said else took)
            await asyncio.sleep(self._patience.pause)

    async def _create(
        self, kind: Resource[Any], order: Order, name: str, spec: Mapping[str, Any]
    ) -> None:
        """Create an object, unless an earlier try has done it."""
        body = {
            "apiVersion": kind.api_version,
            "kind": kind.kind,
            "metadata": {"name": name, "namespace": order.namespace, "labels": order.labels},
            "spec": spec,
        }
        try:
            await self._api.create(kind, order.namespace, body)
        except Fault as fault:
            if fault.status != _CONFLICT:
                raise

    async def _mark(
        self, namespace: str, claims: Sequence[str], key: str, value: str | None
    ) -> None:
        for claim in claims:
            body = {"metadata": {"labels": {key: value}}}
            await self._api.patch(CLAIMS, namespace, claim, body)

    async def _drop(self, order: Order, batch: Batch) -> None:
        """Delete a group that could not be taken."""
        try:
            await self._api.delete(groups(batch.version), order.namespace, group_name(order, batch))
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise


def _taken(claim: str, found: VolumeSnapshot, batch: Batch) -> Taken:
    size = found.status.restore_size
    return Taken(
        claim=claim,
        handle=found.metadata.name,
        size=units(size) if size is not None else 0,
        version=batch.version,
        is_copy=batch.is_copy,
        why=batch.why,
    )
