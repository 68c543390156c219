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
from typing import Literal, NamedTuple

import msgspec

from ...errors import Conflict, NotFound
from ...model.struct import decoded
from ..processes import Owner, runs, this_process
from . import layout
from .objects import Objects, Stored

Work = Literal["write", "collect"]

RENEWAL = timedelta(seconds=30)
EXPIRY = 10 * RENEWAL
"""How long after its last renewal a record counts: longer than any hiccup of lake or network."""
SETTLING = 2 * RENEWAL
"""The same if its process has ended on this machine: the lake may still get what it sent last."""

_PAUSE = 1.0


class Others(NamedTuple):
    """The keys of the records of other processes: live ones, and those of dead processes."""

    live: list[str]
    dead: list[str]

    @property
    def collect(self) -> bool:
        """Whether one of the live ones removes objects."""
        return any(key.startswith(f"{layout.WRITERS}collect-") for key in self.live)


class Record(msgspec.Struct, frozen=True):
    """What a record says: whose it is, None in those of earlier versions."""

    owner: Owner | None = None


class Presence:
    """The record of this process in a lake."""

    def __init__(self, objects: Objects, work: Work) -> None:
        self._objects = objects
        self._body = msgspec.json.encode(Record(this_process()))
        self.key = layout.writer(f"{work}-{uuid.uuid4().hex}")

    async def renew(self) -> Stored:
        """Write the record, and return it with the lake's time."""
        await self._objects.put(self.key, self._body, durable=False)
        return await self._objects.head(self.key)

    async def remains(self) -> bool:
        """Return whether nobody has removed the record, as a collector does if it seems dead."""
        try:
            await self._objects.head(self.key)
        except NotFound:
            return False
        return True

    async def others(self) -> Others:
        """Return the keys of others' records, as they are at one moment."""
        now = (await self.renew()).written
        listed = [each async for each in self._objects.list(layout.WRITERS)]
        found = Others([], [])
        for each in listed:
            if each.key != self.key:
                lives = await self._lives(each.key, now - each.written)
                (found.live if lives else found.dead).append(each.key)
        return found

    async def _lives(self, key: str, age: timedelta) -> bool:
        """Return whether a record counts that was renewed some time ago."""
        if not SETTLING <= age < EXPIRY:
            return age < SETTLING
        try:
            owner = decoded(await self._objects.get(key), Record).owner
        except NotFound:
            return False
        except msgspec.DecodeError:
            owner = None
        return owner is None or runs(owner) is not False

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
        while (await presence.others()).collect:  # noqa: ASYNC110 (for another machine)
            await asyncio.sleep(_PAUSE)
        yield presence


@asynccontextmanager
async def collecting(objects: Objects) -> AsyncIterator[Presence]:
    """Announce that objects will be removed, and remove the records of dead processes.

    :raises Conflict: somebody is writing, or removes objects already.
    """
    async with _announced(Presence(objects, "collect")) as presence:
        others = await presence.others()
        if others.live:
            raise Conflict(
                f"Other processes work on this lake: {len(others.live)}.",
                hint="Try again when their syncs have ended: data jobs lists them.",
            )
        # Not what another listing would show: a writer may have come meanwhile.
        await objects.delete(others.dead)
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
