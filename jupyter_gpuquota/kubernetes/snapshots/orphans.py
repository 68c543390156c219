"""Copies that no manifest names: their snapshot was interrupted, or removed by a rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime, timedelta

from ...control.snapshots.registry import Registry
from ...errors import GpuQuotaError
from ..api import Api
from ..faults import translated
from ..resources import CLAIMS
from .copies.copies import Copies
from .copies.provider import Copy
from .labels import GROUPED


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
