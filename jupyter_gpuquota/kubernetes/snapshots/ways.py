"""The ways of copying claims: VolumeSnapshots of one claim, groups of them, and clones of claims.

See https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/ for clones.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from ..api import Api, Fault
from ..labels import COPY, MANAGED_BY, MANAGER
from ..objects.meta import Meta, Object
from ..objects.snapshots import GroupSnapshot, VolumeSnapshot
from ..objects.storage import Claim
from ..quantities import units
from ..resources import CLAIMS, EVENTS, Resource
from ..volumes.reading import failure, size_of
from .kinds import (
    CONTENTS,
    GROUP_VERSIONS,
    GROUPED,
    SELECTED_NODE,
    SNAPSHOT,
    SNAPSHOT_CLAIM,
    SNAPSHOT_GROUP,
    SNAPSHOTS,
    groups,
    is_installed,
)
from .order import NotTaken, Order, Patience, Taken, copy_name, group_name, selected, taken
from .plan import Batch

T = TypeVar("T")
K = TypeVar("K", bound=Object)
S = TypeVar("S", VolumeSnapshot, GroupSnapshot)
NOT_FOUND = 404
FORBIDDEN = 403
_CONFLICT = 409
_MADE = "clone"
"""The value of the label `COPY`."""
_GOES_ON = re.compile(r"code = (Canceled|DeadlineExceeded|Unavailable|ResourceExhausted|Aborted)\b")
"""Failures after which a provisioner goes on with the same copy.

https://github.com/kubernetes-csi/external-provisioner/blob/master/pkg/controller/controller.go
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The copy of a claim as the cluster has it. `size` in bytes, 0 if the driver does not say."""

    namespace: str
    name: str
    order: str
    size: int = 0
    is_ready: bool = False
    is_going: bool = False
    created: datetime | None = None
    finalizers: Sequence[str] = ()

    @property
    def handle(self) -> str:
        """The copy as manifests name it."""
        return f"{self.namespace}/{self.name}"


def copy_of(meta: Meta, size: int, *, is_ready: bool) -> Copy:
    """Return the copy that an object with this metadata is."""
    return Copy(
        namespace=meta.namespace,
        name=meta.name,
        order=meta.labels.get(SNAPSHOT, ""),
        size=size,
        is_ready=is_ready,
        is_going=meta.deletion_timestamp is not None,
        created=meta.creation_timestamp,
        finalizers=meta.finalizers,
    )


class Provider(Protocol):
    """A way of copying claims. Whatever asks the cluster may raise Fault."""

    async def take(self, order: Order, batch: Batch) -> list[Taken]:
        """Copy the claims of a batch; go on with what an earlier try has begun. Raises NotTaken."""

    async def drop(self, order: Order, batch: Batch) -> None:
        """Delete what a try has left that has failed."""

    async def find(self, namespace: str, name: str) -> Copy | None:
        """Return a copy by its name, None if it is gone."""

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return the copies in a namespace, or those of an order."""

    async def remove(self, namespace: str, order: str) -> None:
        """Begin to remove what was made for an order; what is gone already is fine."""

    def source(self, name: str) -> Mapping[str, str]:
        """Return the `dataSource` of a claim that is filled from a copy."""


def selector(order: str = "") -> str:
    """Return what selects everything that was made for an order, or for any."""
    return f"{SNAPSHOT}={order}" if order else f"{MANAGED_BY}={MANAGER},{SNAPSHOT}"


async def created(
    api: Api,
    kind: Resource[Any],
    metadata: Mapping[str, Any],
    spec: Mapping[str, Any],
) -> None:
    """Create an object, unless an earlier try has done it."""
    body = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": metadata,
        "spec": spec,
    }
    try:
        await api.create(kind, metadata["namespace"], body)
    except Fault as fault:
        if fault.status != _CONFLICT:
            raise


async def existing(api: Api, kind: Resource[K], namespace: str, name: str) -> K | None:
    """Return an object, None if it is gone."""
    try:
        return await api.get(kind, namespace, name)
    except Fault as fault:
        if fault.status != NOT_FOUND:
            raise
        return None


async def deleted(api: Api, kind: Resource[Any], namespace: str, name: str, uid: str = "") -> None:
    """Delete an object; one that is gone already is fine."""
    try:
        await api.delete(kind, namespace, name, uid=uid)
    except Fault as fault:
        if fault.status != NOT_FOUND:
            raise


def reported(seen: S) -> tuple[S | None, str]:
    """Return a snapshot, None until it is ready, and the error that its driver reports."""
    said = seen.status.error.message if seen.status.error else ""
    return (seen if seen.status.ready_to_use else None), said


async def ready(look: Callable[[], Awaitable[tuple[T | None, str]]], patience: Patience) -> T:
    """Return what `look` returns once it is ready.

    Before, it returns None and what the driver has reported, which may be nothing. Raises NotTaken
    when this stays an error, or after too long a time.
    """
    loop = asyncio.get_running_loop()
    deadline, failed = loop.time() + patience.ready, None
    while True:
        found, said = await look()
        if found is not None:
            return found
        now = loop.time()
        failed = (failed or now) if said else None
        if failed and now - failed >= patience.error:
            raise NotTaken(f"the driver reports: {said}")
        if now >= deadline:
            took = f"not ready after {patience.ready:.0f} s"
            raise NotTaken(f"{took}; {said}" if said else took)
        await asyncio.sleep(patience.pause)


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

        return [taken(batch, claim, name, restore_size(await ready(look, self._patience)))]

    async def drop(self, order: Order, batch: Batch) -> None:
        """Delete a snapshot that could not be taken; its driver would go on trying."""
        for claim in batch.claims:
            await deleted(self._api, SNAPSHOTS, order.namespace, copy_name(order, claim))

    async def find(self, namespace: str, name: str) -> Copy | None:
        """Return a snapshot. Raises Fault."""
        seen = await existing(self._api, SNAPSHOTS, namespace, name)
        return _snapshot_copy(seen) if seen else None

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return the snapshots, members of groups too; none where there is no such kind."""
        return [_snapshot_copy(each) for each in await self._of(namespace, order)]

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


def restore_size(snapshot: VolumeSnapshot) -> int:
    """Return the bytes that the content of a snapshot needs, 0 if the driver does not say."""
    size = snapshot.status.restore_size
    return units(size) if size is not None else 0


def _snapshot_copy(seen: VolumeSnapshot) -> Copy:
    return copy_of(seen.metadata, restore_size(seen), is_ready=bool(seen.status.ready_to_use))


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
            made.append(taken(batch, claim, member.metadata.name, restore_size(member), group))
        return made

    async def _mark(
        self, namespace: str, claims: Sequence[str], key: str, value: str | None
    ) -> None:
        for claim in claims:
            body = {"metadata": {"labels": {key: value}}}
            await self._api.patch(CLAIMS, namespace, claim, body)


class CloneProvider:
    """Claims that are clones of others. They are no volumes: no session mounts them."""

    def __init__(self, api: Api, patience: Patience) -> None:
        self._api = api
        self._patience = patience

    async def take(self, order: Order, batch: Batch) -> list[Taken]:
        """Clone a claim. Raises NotTaken, Fault."""
        [claim] = batch.claims
        name = copy_name(order, claim)
        if await existing(self._api, CLAIMS, order.namespace, name) is None:
            original = await existing(self._api, CLAIMS, order.namespace, claim)
            if original is None:
                raise NotTaken("the claim was deleted")
            await created(
                self._api, CLAIMS, _clone_metadata(order, original), _clone_spec(original)
            )

        async def look() -> tuple[Claim | None, str]:
            seen = await self._api.get(CLAIMS, order.namespace, name)
            return (seen, "") if _is_filled(seen) else (None, await self._failure(seen))

        return [taken(batch, claim, name, size_of(await ready(look, self._patience)))]

    async def drop(self, order: Order, batch: Batch) -> None:
        """Delete a clone that could not be made: it would count in the quota of its namespace."""
        for claim in batch.claims:
            await deleted(self._api, CLAIMS, order.namespace, copy_name(order, claim))

    async def find(self, namespace: str, name: str) -> Copy | None:
        """Return a clone. Raises Fault."""
        seen = await existing(self._api, CLAIMS, namespace, name)
        return _clone_copy(seen) if seen and COPY in seen.metadata.labels else None

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return the clones. Raises Fault."""
        return [_clone_copy(each) for each in await self._of(namespace, order)]

    async def remove(self, namespace: str, order: str) -> None:
        """Begin to delete the clones of an order. Raises Fault."""
        for each in await self._of(namespace, order):
            await deleted(self._api, CLAIMS, *each.key, uid=each.metadata.uid)

    def source(self, name: str) -> Mapping[str, str]:
        """Return the `dataSource` of a claim that is filled from a clone."""
        return {"kind": CLAIMS.kind, "name": name}

    async def _of(self, namespace: str, order: str) -> Sequence[Claim]:
        return await self._api.list(CLAIMS, namespace, f"{selector(order)},{COPY}={_MADE}")

    async def _failure(self, seen: Claim) -> str:
        """Return why a clone cannot be made, empty while that is not certain."""
        events = await self._api.list(EVENTS, seen.metadata.namespace)
        said = failure(each for each in events if each.involved_object.uid == seen.metadata.uid)
        return "" if _GOES_ON.search(said) else said


def _clone_metadata(order: Order, original: Claim) -> dict[str, Any]:
    """Return the metadata of a clone.

    With a class whose volumes wait for a pod, the node that was selected for the original stands
    for that of a pod: there the content is, and no pod will mount the clone.
    """
    node = original.metadata.annotations.get(SELECTED_NODE)
    return {
        "name": copy_name(order, original.metadata.name),
        "namespace": order.namespace,
        "labels": {**order.labels, COPY: _MADE},
        "annotations": {
            SNAPSHOT_CLAIM: original.metadata.name,
            **({SELECTED_NODE: node} if node else {}),
        },
    }


def _clone_spec(original: Claim) -> dict[str, Any]:
    spec = original.spec
    return {
        "accessModes": list(spec.access_modes),
        "storageClassName": spec.storage_class_name,
        "volumeMode": spec.volume_mode,
        "resources": {"requests": {"storage": str(size_of(original))}},
        "dataSource": {"kind": CLAIMS.kind, "name": original.metadata.name},
    }


def _clone_copy(seen: Claim) -> Copy:
    return copy_of(seen.metadata, size_of(seen), is_ready=_is_filled(seen))


def _is_filled(seen: Claim) -> bool:
    return seen.status.phase == "Bound"
