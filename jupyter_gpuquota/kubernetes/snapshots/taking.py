"""Copying claims, and waiting until drivers have done it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ...errors import Unavailable
from ..api import Fault
from ..faults import error as explained
from .copies.copies import Copies
from .order import NotTaken, Order, Patience, Taken
from .persistence import persistently
from .plan import Batch


class Taker:
    """Copies claims on one cluster."""

    def __init__(self, copies: Copies, patience: Patience) -> None:
        self._copies = copies
        self._patience = patience

    async def take(self, order: Order, batches: Sequence[Batch]) -> list[Taken]:
        """Return what became of each claim; batches are taken at once.

        An order that was begun before is continued: objects have the same names.
        """
        done = await asyncio.gather(*(self._batch(order, batch) for batch in batches))
        return [each for found in done for each in found]

    async def _batch(self, order: Order, batch: Batch) -> list[Taken]:
        """Return what became of the claims of a batch, as soon as the cluster answers."""
        attempt = partial(self._attempt, order, batch)
        try:
            return await persistently(attempt, self._patience)
        except Unavailable as error:
            return _failed(batch, error.message)

    async def _attempt(self, order: Order, batch: Batch) -> list[Taken]:
        """Return what became of the claims of a batch. Raises Unavailable."""
        provider = self._copies.provider(batch.provider)
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


def _failed(batch: Batch, problem: str) -> list[Taken]:
    return [Taken(claim=each, problem=problem) for each in batch.claims]
