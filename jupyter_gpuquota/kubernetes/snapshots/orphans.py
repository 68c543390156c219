"""Copies that no manifest names: their snapshot was interrupted, or removed by a rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta

from ...control.snapshots.registry import Registry
from ...errors import GpuQuotaError
from ..api import Api
from ..faults import translated
from ..labels import MANAGED_BY, MANAGER
from ..objects.snapshots import VolumeSnapshot
from ..resources import CLAIMS
from .discovery import discover
from .kinds import SNAPSHOTS
from .labels import GROUPED, SNAPSHOT
from .removing import Remover

_SELECTED = f"{MANAGED_BY}={MANAGER},{SNAPSHOT}"


class Orphans:
    """Finds and removes them in the namespaces of projects.

    `active` returns the orders that are being carried out; objects younger than `grace` may belong
    to another controller.
    """

    def __init__(
        self,
        api: Api,
        registry: Registry,
        remover: Remover,
        namespaces: Callable[[], Iterable[str]],
        active: Callable[[], Collection[str]],
        grace: timedelta,
    ) -> None:
        self._api = api
        self._registry = registry
        self._remover = remover
        self._namespaces = namespaces
        self._active = active
        self._grace = grace

    async def remove(self) -> tuple[str, ...]:
        """Remove what nobody needs; return what went wrong. While a lake is silent, nothing goes.

        Raises Unavailable, NotAllowed, Damaged.
        """
        with translated():
            if not (await discover(self._api)).is_installed:
                return ()
            old = [each for name in self._namespaces() for each in await self._old(name)]
            for name in self._namespaces():
                await self._unmark(name)
        if not old or self._registry.problems():
            return ()
        named = await self._named()
        kept = {_order(each) for each in old if _handle(each) in named}
        orders: defaultdict[str, set[str]] = defaultdict(set)
        for each in old:
            if _order(each) not in kept:
                orders[each.metadata.namespace].add(_order(each))
        return await self._remove(orders)

    async def _remove(self, orders: dict[str, set[str]]) -> tuple[str, ...]:
        wrong = []
        for namespace, ids in orders.items():
            for order in sorted(ids):
                try:
                    await self._remover.remove(namespace, order)
                except GpuQuotaError as error:
                    wrong.append(error.message)
        return tuple(wrong)

    async def _old(self, namespace: str) -> list[VolumeSnapshot]:
        before, active = datetime.now(UTC) - self._grace, self._active()
        return [
            each
            for each in await self._api.list(SNAPSHOTS, namespace, _SELECTED)
            if _order(each) not in active
            and each.metadata.creation_timestamp
            and each.metadata.creation_timestamp < before
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


def _order(snapshot: VolumeSnapshot) -> str:
    return snapshot.metadata.labels[SNAPSHOT]


def _handle(snapshot: VolumeSnapshot) -> str:
    return "/".join(snapshot.key)
