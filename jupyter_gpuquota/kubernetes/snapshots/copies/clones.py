"""Copies by cloning: a claim whose `dataSource` is the claim that is copied.

See https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...api import Api
from ...labels import COPY
from ...objects.storage import Claim
from ...resources import CLAIMS, EVENTS
from ...volumes.reading import failure, size_of
from ..labels import SELECTED_NODE, SNAPSHOT_CLAIM
from ..order import NotTaken, Order, Patience, Taken, copy_name, taken
from ..plan import Batch
from .provider import Copy, copy_of, selector
from .writing import created, deleted, existing, ready

_MADE = "clone"
"""The value of the label `COPY`."""
_GOES_ON = re.compile(r"code = (Canceled|DeadlineExceeded|Unavailable|ResourceExhausted|Aborted)\b")
"""Failures after which a provisioner goes on with the same copy.

https://github.com/kubernetes-csi/external-provisioner/blob/master/pkg/controller/controller.go
"""


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
            await created(self._api, CLAIMS, _metadata(order, original), _spec(original))

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
        return _copy(seen) if seen and COPY in seen.metadata.labels else None

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return the clones. Raises Fault."""
        return [_copy(each) for each in await self._of(namespace, order)]

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


def _metadata(order: Order, original: Claim) -> dict[str, Any]:
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


def _spec(original: Claim) -> dict[str, Any]:
    spec = original.spec
    return {
        "accessModes": list(spec.access_modes),
        "storageClassName": spec.storage_class_name,
        "volumeMode": spec.volume_mode,
        "resources": {"requests": {"storage": str(size_of(original))}},
        "dataSource": {"kind": CLAIMS.kind, "name": original.metadata.name},
    }


def _copy(seen: Claim) -> Copy:
    return copy_of(seen.metadata, size_of(seen), is_ready=_is_filled(seen))


def _is_filled(seen: Claim) -> bool:
    return seen.status.phase == "Bound"
