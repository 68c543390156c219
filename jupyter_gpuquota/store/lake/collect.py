"""Removing what no version of a lake needs, and packing anew what is mostly garbage."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec

from ...core.snapshots import identity
from ...errors import NotFound
from .. import manifest
from . import layout
from .history import History
from .objects import Objects, Stored
from .presence import collecting
from .repack import repack, wasteful


class _Tree(msgspec.Struct):
    version: str = ""


class _Volume(msgspec.Struct):
    tree: _Tree | None = None


class _Manifest(msgspec.Struct):
    """What is read of a manifest: as little as possible, so that newer ones are understood."""

    tree: _Tree | None = None
    volumes: tuple[_Volume, ...] = ()


async def trees(objects: Objects) -> set[str]:
    """Return the versions in a lake that are the trees of its snapshots.

    A manifest that cannot be read counts by the commit of its tree, which stays while it does.
    """
    keys = [each.key async for each in objects.list(identity.SNAPSHOTS)]
    found = set()
    for key in filter(identity.snapshot_of, keys):
        try:
            manifest = msgspec.json.decode(await objects.get(key), type=_Manifest)
        except (msgspec.DecodeError, NotFound):
            continue  # malformed, or removed meanwhile
        trees = (manifest.tree, *(each.tree for each in manifest.volumes))
        found |= {each.version for each in trees if each}
    there = {layout.version_of(each.key) async for each in objects.list(layout.MANIFESTS)}
    return found & there


GRACE = timedelta(hours=1)
"""Objects younger than this stay, whoever needs them: another guard against a writer unseen."""

_AT_ONCE = 8


class Collected(msgspec.Struct, frozen=True):
    """How many objects and bytes were removed, and how many packs were packed anew."""

    objects: int
    bytes: int
    repacked: int = 0


@dataclass(slots=True)
class _Needed:
    """What versions consist of: keys of objects, and what they need of each pack."""

    keys: set[str] = field(default_factory=set)
    live: dict[str, dict[int, int]] = field(default_factory=dict)


async def collect(
    objects: Objects, history: History, kept: Iterable[str] = (), grace: timedelta = GRACE
) -> Collected:
    """Remove all manifests, packs and objects that no commit, snapshot or `kept` version needs.

    What is needed of packs that are mostly garbage is packed anew; they go the next time.

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
        versions |= {*kept, *await trees(objects)}
        needed = await _needed(objects, versions)
        every = [
            stored
            for prefix in (layout.MANIFESTS, layout.PACKS, layout.OBJECTS)
            async for stored in objects.list(prefix)
        ]
        old = [each for each in every if now - each.written >= grace]
        garbage = [each for each in old if each.key not in needed.keys]
        # Indexes first: by an index, writers would find a pack that is gone.
        await objects.delete([each.key for each in sorted(garbage, key=_order)])
        sizes = {each.key: each.size for each in old}
        waste = wasteful(needed.live, {key: sizes.get(layout.pack(key), 0) for key in needed.live})
        repacked = await repack(objects, versions, waste) if waste else 0
        return Collected(len(garbage), sum(each.size for each in garbage), repacked)


async def _needed(objects: Objects, versions: Iterable[str]) -> _Needed:
    """Return what versions consist of."""
    limit, needed = asyncio.Semaphore(_AT_ONCE), _Needed()

    async def add(version: str) -> None:
        async with limit:
            body = await objects.get(layout.manifest(version))
        needed.keys.add(layout.manifest(version))
        for entry, location in manifest.decode([body], version):
            if location.pack:
                needed.live.setdefault(location.pack, {})[location.offset] = entry.size
            needed.keys.update(map(layout.content, location.parts))

    await asyncio.gather(*map(add, versions))
    for pack in needed.live:
        needed.keys |= {layout.pack(pack), layout.index(pack)}
    return needed


def _order(stored: Stored) -> tuple[bool, str]:
    return (not stored.key.endswith(layout.INDEX), stored.key)
