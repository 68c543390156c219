"""Removing the snapshots of an order, in the order that Kubernetes allows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from ...errors import InUse, Unavailable
from ..api import Api, Fault
from ..faults import translated
from ..objects.meta import Object
from ..objects.snapshots import VolumeSnapshot
from ..objects.storage import Claim
from ..resources import CLAIMS, Resource
from .kinds import CONTENTS, GROUP_VERSIONS, SNAPSHOT_GROUP, SNAPSHOTS, groups
from .labels import SNAPSHOT
from .order import Patience

T = TypeVar("T", bound=Object)

_FORBIDDEN = 403
_NOT_FOUND = 404


class Remover:
    """Removes snapshots of one cluster."""

    def __init__(self, api: Api, patience: Patience | None = None) -> None:
        self._api = api
        self._patience = patience or Patience()

    async def remove(self, namespace: str, order: str) -> None:
        """Remove everything that was made for an order; what is gone already is fine.

        A group goes before its members, which the snapshot-controller then removes. Raises InUse
        while a claim waits to be filled from a snapshot: it would hold the snapshot until then.
        Raises NotAllowed, and Unavailable if the storage is not freed in time.
        """
        with translated():
            snapshots = await self._of(SNAPSHOTS, namespace, order)
            await self._require_unused(namespace, snapshots)
            for each in snapshots:
                await self._free_storage(each)
            await self._remove_groups(namespace, order)
            for each in snapshots:
                await self._delete(SNAPSHOTS, each)
            await self._wait_until_gone(namespace, order)

    async def _require_unused(self, namespace: str, snapshots: Sequence[VolumeSnapshot]) -> None:
        names = {each.metadata.name for each in snapshots}
        claims = await self._api.list(CLAIMS, namespace) if names else []
        waiting = [each for each in claims if _source(each) in names and not _is_filled(each)]
        if waiting:
            listed = ", ".join(sorted(each.metadata.name for each in waiting))
            raise InUse(
                f"These claims wait to be filled from the snapshot: {listed}.",
                hint="Start the session that mounts them, or delete them, and try again.",
            )

    async def _free_storage(self, snapshot: VolumeSnapshot) -> None:
        """Let the storage go with a snapshot whose class would retain it, if that is allowed."""
        name = snapshot.status.bound_volume_snapshot_content_name
        if not name:
            return
        try:
            await self._api.patch(CONTENTS, "", name, {"spec": {"deletionPolicy": "Delete"}})
        except Fault as fault:
            if fault.status not in (_FORBIDDEN, _NOT_FOUND):
                raise  # otherwise the class decides: see docs/kubernetes.md

    async def _remove_groups(self, namespace: str, order: str) -> None:
        for version in GROUP_VERSIONS:
            try:
                found = await self._of(groups(version), namespace, order)
            except Fault as fault:
                if fault.status not in (_FORBIDDEN, _NOT_FOUND):
                    raise
                continue
            for each in found:
                await self._delete(groups(version), each)
            return

    async def _wait_until_gone(self, namespace: str, order: str) -> None:
        deadline = asyncio.get_running_loop().time() + self._patience.ready
        while left := await self._of(SNAPSHOTS, namespace, order):
            if asyncio.get_running_loop().time() > deadline:
                held = "; ".join(
                    f"{each.metadata.name} ({', '.join(each.metadata.finalizers)})" for each in left
                )
                raise Unavailable(
                    f"The storage does not let go of the snapshot: {held}.",
                    hint="It is being deleted. If it stays, an administrator has to look at the "
                    "snapshot-controller and the driver.",
                )
            await asyncio.sleep(self._patience.pause)

    async def _of(self, kind: Resource[T], namespace: str, order: str) -> list[T]:
        return await self._api.list(kind, namespace, f"{SNAPSHOT}={order}")

    async def _delete(self, kind: Resource[T], each: T) -> None:
        meta = each.metadata
        try:
            await self._api.delete(kind, meta.namespace, meta.name, uid=meta.uid)
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise


def _source(claim: Claim) -> str:
    """Return the name of the snapshot that a claim is filled from, empty without one."""
    source = claim.spec.data_source
    return source.name if source and source.api_group == SNAPSHOT_GROUP else ""


def _is_filled(claim: Claim) -> bool:
    return claim.status.phase == "Bound"
