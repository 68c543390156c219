"""All copies of a cluster, however they were made; removing those of an order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ....errors import InUse, Unavailable, Unsupported
from ...api import Api
from ...faults import translated
from ...objects.storage import Claim
from ...resources import CLAIMS
from ..order import WAITING, Patience
from ..plan import CLONE, GROUP, SINGLE
from .clones import CloneProvider
from .groups import GroupProvider
from .provider import Copy, Provider
from .snapshots import SnapshotProvider


class Copies:
    """The copies of one cluster, by what makes them."""

    def __init__(self, api: Api, patience: Patience = WAITING) -> None:
        self._api = api
        self._patience = patience
        snapshots = SnapshotProvider(api, patience)
        self._providers: dict[str, Provider] = {
            GROUP: GroupProvider(api, patience, snapshots),  # it goes before its members
            SINGLE: snapshots,
            CLONE: CloneProvider(api, patience),
        }

    def provider(self, name: str) -> Provider:
        """Return what makes copies, by its name in manifests. Raises Unsupported."""
        found = self._providers.get(name.partition("/")[0])
        if found is None:
            raise Unsupported(
                f"This version does not know copies of the kind {name!r}.",
                hint="Use the version that took the snapshot, or a newer one.",
            )
        return found

    async def all(self, namespace: str) -> list[Copy]:
        """Return all copies in a namespace. Raises Fault."""
        return await self._of(namespace)

    async def remove(self, namespace: str, order: str) -> None:
        """Remove everything that was made for an order; what is gone already is fine.

        Raises InUse while a claim waits to be filled from a copy: it would hold the copy until
        then. Raises NotAllowed, and Unavailable if the storage is not freed in time.
        """
        with translated():
            await self._require_unused(namespace, order)
            for provider in self._providers.values():
                await provider.remove(namespace, order)
            await self._wait_until_gone(namespace, order)

    async def _require_unused(self, namespace: str, order: str) -> None:
        sources = [
            provider.source(copy.name)
            for provider in self._providers.values()
            for copy in await provider.copies(namespace, order)
        ]
        claims = await self._api.list(CLAIMS, namespace) if sources else []
        waiting = [each for each in claims if _source(each) in sources and not _is_filled(each)]
        if waiting:
            listed = ", ".join(sorted(each.metadata.name for each in waiting))
            raise InUse(
                f"These claims wait to be filled from the snapshot: {listed}.",
                hint="Start the session that mounts them, or delete them, and try again.",
            )

    async def _wait_until_gone(self, namespace: str, order: str) -> None:
        deadline = asyncio.get_running_loop().time() + self._patience.ready
        while left := await self._of(namespace, order):
            if asyncio.get_running_loop().time() > deadline:
                held = "; ".join(f"{each.name} ({', '.join(each.finalizers)})" for each in left)
                raise Unavailable(
                    f"The storage does not let go of the snapshot: {held}.",
                    hint="It is being deleted. If it stays, an administrator has to look at the "
                    "snapshot-controller and the driver.",
                )
            await asyncio.sleep(self._patience.pause)

    async def _of(self, namespace: str, order: str = "") -> list[Copy]:
        found: Sequence[Sequence[Copy]] = [
            await provider.copies(namespace, order) for provider in self._providers.values()
        ]
        return [each for copies in found for each in copies]


def _source(claim: Claim) -> dict[str, str]:
    """Return what a claim is filled from, as it was asked for; nothing if it begins empty."""
    source = claim.spec.data_source
    if source is None:
        return {}
    group = {"apiGroup": source.api_group} if source.api_group else {}
    return {**group, "kind": source.kind, "name": source.name}


def _is_filled(claim: Claim) -> bool:
    return claim.status.phase == "Bound"
