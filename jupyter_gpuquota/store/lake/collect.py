"""Removing what no version of a lake needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta

import msgspec

from .. import manifest
from . import layout
from .history import History
from .objects import Objects, Stored
from .presence import collecting

GRACE = timedelta(hours=1)
"""Objects younger than this stay, whoever needs them: another guard against a writer unseen."""

_AT_ONCE = 8


class Collected(msgspec.Struct, frozen=True):
    """How many objects and bytes were removed."""

    objects: int
    bytes: int


async def collect(
    objects: Objects, history: History, kept: Iterable[str] = (), grace: timedelta = GRACE
) -> Collected:
    """Remove all manifests, packs and objects that neither a commit nor `kept` versions need.

    :raises Conflict: somebody is writing.
    :raises Damaged: a manifest is missing or malformed; nothing is removed.
    """
    async with collecting(objects) as presence:
        now = (await presence.renew()).written
        versions = {
            commit.version
            for dataset in await history.datasets()
            for commit in await history.commits(dataset)
        }
        needed = await _needed(objects, versions | set(kept))
        every = [
            stored
            for prefix in (layout.MANIFESTS, layout.PACKS, layout.OBJECTS)
            async for stored in objects.list(prefix)
        ]
        garbage = [each for each in every if each.key not in needed and now - each.written >= grace]
        # Indexes first: by an index, writers would find a pack that is gone.
        await objects.delete([each.key for each in sorted(garbage, key=_order)])
        return Collected(len(garbage), sum(each.size for each in garbage))


async def _needed(objects: Objects, versions: Iterable[str]) -> set[str]:
    """Return the keys of all objects that versions consist of."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def keys(version: str) -> set[str]:
        async with limit:
            body = await objects.get(layout.manifest(version))
        found = {layout.manifest(version)}
        for _, location in manifest.decode([body], version):
            if location.pack:
                found |= {layout.pack(location.pack), layout.index(location.pack)}
            found.update(map(layout.content, location.parts))
        return found

    return set().union(*await asyncio.gather(*map(keys, versions)))


def _order(stored: Stored) -> tuple[bool, str]:
    return (not stored.key.endswith(layout.INDEX), stored.key)
