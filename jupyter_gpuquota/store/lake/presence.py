"""Who works on a lake now: many may write at once, but nobody while objects are removed.

Each process announces itself by a record that it renews, and only then looks at the records of
others. So of a writer and a collector that begin at the same time, at least one sees the other.
Times are those of the lake: the clocks of machines are not compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Literal

from ...errors import Conflict, NotFound
from . import layout
from .objects import Objects, Stored

Work = Literal["write", "collect"]

RENEWAL = timedelta(seconds=30)
EXPIRY = 10 * RENEWAL
"""How long after its last renewal a record counts: longer than any hiccup of lake or network."""

_PAUSE = 1.0


class Presence:
    """The record of this process in a lake."""

    def __init__(self, objects: Objects, work: Work) -> None:
        self._objects = objects
        self.key = layout.writer(f"{work}-{uuid.uuid4().hex}")

    async def renew(self) -> Stored:
        """Write the record, and return it with the lake's time."""
        await self._objects.put(self.key, b"{}")
        return await self._objects.head(self.key)

    async def remains(self) -> bool:
        """Return whether nobody has removed the record, as a collector does with expired ones."""
        try:
            await self._objects.head(self.key)
        except NotFound:
            return False
        return True

    async def others(self, work: Work | None = None) -> list[Stored]:
        """Return the live records of others, of one kind of work or of all."""
        own = await self.renew()
        prefix = f"{layout.WRITERS}{work}-" if work else layout.WRITERS
        listed = [each async for each in self._objects.list(layout.WRITERS)]
        return [
            each
            for each in listed
            if each.key.startswith(prefix)
            and each.key != self.key
            and own.written - each.written < EXPIRY
        ]

    async def remove(self) -> None:
        """Remove the record."""
        await self._objects.delete([self.key])


@asynccontextmanager
async def writing(objects: Objects) -> AsyncIterator[Presence]:
    """Announce a writer; wait until nobody removes objects.

    What the lake holds must be looked up after this. The caller asks `remains` after its commit: a
    process that was suspended for longer than `EXPIRY` may have lost objects that it relied on.
    """
    async with _announced(Presence(objects, "write")) as presence:
        while await presence.others("collect"):  # noqa: ASYNC110 (for another machine)
            await asyncio.sleep(_PAUSE)
        yield presence


@asynccontextmanager
async def collecting(objects: Objects) -> AsyncIterator[Presence]:
    """Announce that objects will be removed, and remove expired records.

    :raises Conflict: somebody is writing, or removes objects already.
    """
    async with _announced(Presence(objects, "collect")) as presence:
        live = {each.key for each in await presence.others()}
        if live:
            raise Conflict(
                f"Other processes work on this lake: {len(live)}.",
                hint="Try again when their syncs have ended: data jobs lists them.",
            )
        every = [each.key async for each in objects.list(layout.WRITERS)]
        await objects.delete([key for key in every if key not in live | {presence.key}])
        yield presence


@asynccontextmanager
async def _announced(presence: Presence) -> AsyncIterator[Presence]:
    await presence.renew()
    renewing = asyncio.create_task(_keep(presence))
    try:
        yield presence
    finally:
        renewing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await renewing
        await presence.remove()


async def _keep(presence: Presence) -> None:
    while True:
        await asyncio.sleep(RENEWAL.total_seconds())
        if not await presence.remains():
            return
        await presence.renew()
