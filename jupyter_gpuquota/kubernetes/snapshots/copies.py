"""All copies of a cluster, however they were made: finding and removing them, and orphans.

Orphans are copies that no manifest names: their snapshot was interrupted, or removed by a rule.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from ...control.snapshots.registry import Registry
from ...errors import GpuQuotaError, InUse, Unavailable, Unsupported
from ...model.snapshots.manifest import Manifest, VolumePart
from ..api import Api, Fault
from ..faults import error as explained
from ..faults import translated
from ..objects.storage import Claim
from ..resources import CLAIMS
from .kinds import GROUPED
from .order import WAITING, NotTaken, Order, Patience, Taken, persistently
from .plan import CLONE, GROUP, SINGLE, Batch
from .ways import CloneProvider, Copy, GroupProvider, Provider, SnapshotProvider


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

    async def take(self, order: Order, batches: Sequence[Batch]) -> list[Taken]:
        """Return what became of each claim; batches are taken at once.

        An order that was begun before is continued: objects have the same names.
        """
        done = await asyncio.gather(*(self._batch(order, batch) for batch in batches))
        return [each for found in done for each in found]

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

    async def remove_of(self, manifest: Manifest) -> None:
        """Remove all copies of a snapshot. Raises InUse, NotAllowed, Unavailable, Unsupported."""
        with translated():
            found = [await self._find(part) for part in manifest.volumes if part.handle]
        for namespace, order in sorted({(each.namespace, each.order) for each in found if each}):
            await self.remove(namespace, order)

    async def missing(self, manifest: Manifest) -> list[str]:
        """Return the volumes whose copies are gone or not usable. Raises Unavailable."""
        found = []
        with translated():
            for part in manifest.volumes:
                copy = await self._find(part) if part.handle else None
                if copy is None or copy.is_going or not copy.is_ready:
                    found.append(part.volume)
        return found

    async def _batch(self, order: Order, batch: Batch) -> list[Taken]:
        """Return what became of the claims of a batch, as soon as the cluster answers."""
        attempt = partial(self._attempt, order, batch)
        try:
            return await persistently(attempt, self._patience)
        except Unavailable as error:
            return _failed(batch, error.message)

    async def _attempt(self, order: Order, batch: Batch) -> list[Taken]:
        """Return what became of the claims of a batch. Raises Unavailable."""
        provider = self.provider(batch.provider)
        try:
            try:
                return await provider.take(order, batch)
            except NotTaken as error:
                why = str(error)
                await provider.drop(order, batch)
        except Fault as fault:
            meant = explained(fault)
            if isinstance(meant, Unavailable):
                raise meant from fault
            return _failed(batch, fault.message)
        if not batch.apart:
            return _failed(batch, why)
        apart = [replace(each, why=f"the group failed: {why}") for each in batch.apart]
        return await self.take(order, apart)

    async def _find(self, part: VolumePart) -> Copy | None:
        namespace, _, name = part.handle.partition("/")
        return await self.provider(part.provider).find(namespace, name)

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


class Orphans:
    """Finds and removes them in the namespaces of projects.

    `active` returns the orders that are being carried out; objects younger than `grace` may belong
    to another controller.
    """

    def __init__(
        self,
        api: Api,
        registry: Registry,
        copies: Copies,
        namespaces: Callable[[], Iterable[str]],
        active: Callable[[], Collection[str]],
        grace: timedelta,
    ) -> None:
        self._api = api
        self._registry = registry
        self._copies = copies
        self._namespaces = namespaces
        self._active = active
        self._grace = grace

    async def remove(self) -> tuple[str, ...]:
        """Remove what nobody needs; return what went wrong. While a lake is silent, nothing goes.

        Raises Unavailable, NotAllowed, Damaged.
        """
        with translated():
            old = [each for name in self._namespaces() for each in await self._old(name)]
            for name in self._namespaces():
                await self._unmark(name)
        if not old or self._registry.problems():
            return ()
        named = await self._named()
        kept = {each.order for each in old if each.handle in named}
        orders: defaultdict[str, set[str]] = defaultdict(set)
        for each in old:
            if each.order not in kept:
                orders[each.namespace].add(each.order)
        return await self._remove(orders)

    async def _remove(self, orders: dict[str, set[str]]) -> tuple[str, ...]:
        wrong = []
        for namespace, ids in orders.items():
            for order in sorted(ids):
                try:
                    await self._copies.remove(namespace, order)
                except GpuQuotaError as error:
                    wrong.append(error.message)
        return tuple(wrong)

    async def _old(self, namespace: str) -> list[Copy]:
        before, active = datetime.now(UTC) - self._grace, self._active()
        return [
            each
            for each in await self._copies.all(namespace)
            if each.order not in active and each.created and each.created < before
        ]

    async def _unmark(self, namespace: str) -> None:
        """Take the labels off claims by which an interrupted group selected them."""
        active = {f"{GROUPED}{order}" for order in self._active()}
        for claim in await self._api.list(CLAIMS, namespace):
            left = [key for key in claim.metadata.labels if key.startswith(GROUPED)]
            if gone := [key for key in left if key not in active]:
                body = {"metadata": {"labels": dict.fromkeys(gone)}}
                await self._api.patch(CLAIMS, namespace, claim.metadata.name, body)

    async def _named(self) -> set[str]:
        """Return the handles that manifests name."""
        found: set[str] = set()
        for entry in self._registry.all():
            manifest = await self._registry.manifest(entry.snapshot.id)
            found |= {part.handle for part in manifest.volumes}
        return found


def _failed(batch: Batch, problem: str) -> list[Taken]:
    return [Taken(claim=each, problem=problem) for each in batch.claims]
