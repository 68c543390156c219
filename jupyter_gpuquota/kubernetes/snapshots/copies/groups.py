"""Copies of several claims at one moment, by VolumeGroupSnapshot. Its members are snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...api import Api, Fault
from ...objects.snapshots import GroupSnapshot, VolumeSnapshot
from ...resources import CLAIMS
from ..kinds import GROUP_VERSIONS, SNAPSHOTS, groups
from ..labels import GROUPED
from ..order import Order, Patience, Taken, group_name, selected, taken
from ..plan import Batch
from .provider import Copy, selector
from .snapshots import SnapshotProvider, size_of
from .writing import FORBIDDEN, NOT_FOUND, created, deleted, ready, reported


class GroupProvider:
    """Groups of snapshots, whose members `snapshots` knows."""

    def __init__(self, api: Api, patience: Patience, snapshots: SnapshotProvider) -> None:
        self._api = api
        self._patience = patience
        self._snapshots = snapshots

    async def take(self, order: Order, batch: Batch) -> list[Taken]:
        """Take a group: it selects its claims by a label that they have for this time only.

        After a call whose outcome is not known they keep it: the group may be there, and its claims
        are yet to be selected. The next try goes on, or what looks for orphans removes the label.
        """
        key = f"{GROUPED}{order.id}"
        name, kind = group_name(order, batch), groups(batch.version)
        meta = {"name": name, "namespace": order.namespace, "labels": order.labels}
        spec = {
            "volumeGroupSnapshotClassName": batch.snapshot_class,
            "source": {"selector": {"matchLabels": {key: selected(batch)}}},
        }

        async def look() -> tuple[GroupSnapshot | None, str]:
            return reported(await self._api.get(kind, order.namespace, name))

        await self._mark(order.namespace, batch.claims, key, selected(batch))
        await created(self._api, kind, meta, spec)
        await ready(look, self._patience)
        made = await self._members(order, batch, name)
        await self._mark(order.namespace, batch.claims, key, None)
        return made

    async def drop(self, order: Order, batch: Batch) -> None:
        """Delete a group that could not be taken."""
        kind = groups(batch.version)
        await deleted(self._api, kind, order.namespace, group_name(order, batch))
        await self._mark(order.namespace, batch.claims, f"{GROUPED}{order.id}", None)

    async def find(self, namespace: str, name: str) -> Copy | None:
        """Return a member of a group. Raises Fault."""
        return await self._snapshots.find(namespace, name)

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return nothing: members are listed as snapshots."""
        return ()

    async def remove(self, namespace: str, order: str) -> None:
        """Begin to delete the groups of an order; the snapshot-controller removes the members."""
        for version in GROUP_VERSIONS:
            try:
                seen = await self._api.list(groups(version), namespace, selector(order))
            except Fault as fault:
                if fault.status not in (FORBIDDEN, NOT_FOUND):
                    raise
                continue
            if seen:
                await self._snapshots.free(namespace, order)
            for each in seen:
                await deleted(self._api, groups(version), *each.key, uid=each.metadata.uid)
            return

    def source(self, name: str) -> Mapping[str, str]:
        """Return the `dataSource` of a claim that is filled from a member."""
        return self._snapshots.source(name)

    async def _members(self, order: Order, batch: Batch, group: str) -> list[Taken]:
        """Return the members of a group, once all are ready; they get our labels, too."""

        async def look() -> tuple[Mapping[str, VolumeSnapshot] | None, str]:
            every = await self._api.list(SNAPSHOTS, order.namespace)
            members = {
                each.spec.source.persistent_volume_claim_name: each
                for each in every
                if each.status.volume_group_snapshot_name == group
            }
            if lacking := sorted(set(batch.claims) - members.keys()):
                return None, f"the group lacks {', '.join(lacking)}"
            usable = all(members[claim].status.ready_to_use for claim in batch.claims)
            return (members if usable else None), ""

        members = await ready(look, self._patience)
        made = []
        for claim in batch.claims:
            member, body = members[claim], {"metadata": {"labels": order.labels}}
            await self._api.patch(SNAPSHOTS, *member.key, body)
            made.append(taken(batch, claim, member.metadata.name, size_of(member), group))
        return made

    async def _mark(
        self, namespace: str, claims: Sequence[str], key: str, value: str | None
    ) -> None:
        for claim in claims:
            body = {"metadata": {"labels": {key: value}}}
            await self._api.patch(CLAIMS, namespace, claim, body)
