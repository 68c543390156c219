"""Removing what no version of a lake needs, and packing anew what is mostly garbage.

Packs that are mostly garbage are packed anew. The id of a version does not depend on packs: its
manifest is written again under the same key. A pack that was replaced stays until the next
collection, for those who read by the earlier manifest; its index goes at once, so that no writer
finds it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec

from ...core.snapshots import identity
from ...errors import Damaged, NotFound
from ...model.struct import decoded
from .. import manifest
from ..entries import Entry, Located, Location
from ..packs import Pack, Packer, encode_index
from . import layout
from .history import History
from .objects import Objects, Stored
from .presence import collecting

HALF = 2
"""A pack is packed anew if less than one in so many of its bytes is needed."""


def wasteful(live: Mapping[str, Mapping[int, int]], sizes: Mapping[str, int]) -> set[str]:
    """Return the packs of which most is garbage.

    `live` has the bytes that are needed of each pack by their offset, `sizes` those of the packs.
    """
    used = {pack: sum(held.values()) for pack, held in live.items()}
    return {pack for pack, count in used.items() if count * HALF < sizes.get(pack, 0)}


async def repack(objects: Objects, versions: Collection[str], packs: Collection[str]) -> int:
    """Pack anew what is needed of some packs; return how many were replaced.

    A pack of which something is damaged stays as it is: `verify` names it.
    """
    moved: dict[str, Location] = {}
    replaced: set[str] = set()
    packer = Packer()
    for pack, held in sorted((await _held(objects, versions, packs)).items()):
        bodies = await _bodies(objects, pack, held)
        if bodies is None:
            continue
        replaced.add(pack)
        for sha256, body in bodies.items():
            if sha256 not in moved and (full := packer.add(sha256, body)):
                await _send(objects, full, moved)
            moved.setdefault(sha256, Location())
    if last := packer.finish():
        await _send(objects, last, moved)
    if replaced:
        await objects.flush()
        for version in versions:
            await _rewrite(objects, version, replaced, moved)
        await objects.delete([layout.index(pack) for pack in sorted(replaced)])
    return len(replaced)


async def _held(
    objects: Objects, versions: Iterable[str], packs: Collection[str]
) -> dict[str, dict[int, Entry]]:
    """Return what versions need of some packs: one entry for each offset."""
    found: dict[str, dict[int, Entry]] = {pack: {} for pack in packs}
    for version in versions:
        body = await objects.get(layout.manifest(version))
        for entry, at in manifest.decode([body], version):
            if at.pack in found:
                found[at.pack][at.offset] = entry
    return found


async def _bodies(
    objects: Objects, pack: str, held: Mapping[int, Entry]
) -> dict[str, bytes] | None:
    """Return what is needed of a pack by sha256, None if something is damaged."""
    starts = sorted(held)
    sizes = [held[start].size for start in starts]
    found = await objects.get_ranges(layout.pack(pack), starts, sizes)
    bodies = {held[start].sha256: body for start, body in zip(starts, found, strict=True)}
    return bodies if await asyncio.to_thread(_intact, bodies) else None


def _intact(bodies: Mapping[str, bytes]) -> bool:
    return all(hashlib.sha256(body).hexdigest() == sha256 for sha256, body in bodies.items())


async def _send(objects: Objects, pack: Pack, moved: dict[str, Location]) -> None:
    await objects.create(layout.pack(pack.sha256), pack.body, durable=False)
    await objects.create(layout.index(pack.sha256), encode_index(pack.held), durable=False)
    for held in pack.held:
        moved[held.sha256] = Location(pack=pack.sha256, offset=held.offset)


async def _rewrite(
    objects: Objects, version: str, replaced: set[str], moved: Mapping[str, Location]
) -> None:
    """Write a manifest again if it names packs that were replaced."""
    body = await objects.get(layout.manifest(version))
    changed = await asyncio.to_thread(_changed, body, version, replaced, moved)
    if changed:
        await objects.put(layout.manifest(version), changed)


def _changed(
    body: bytes, version: str, replaced: set[str], moved: Mapping[str, Location]
) -> bytes | None:
    """Return a manifest with the new locations, None if it names no replaced pack."""
    if not any(at.pack in replaced for _, at in manifest.decode([body], version)):
        return None
    entries = _relocated(manifest.decode([body], version), replaced, moved)
    _, encoded = manifest.encode(entries)
    return encoded


def _relocated(
    entries: Iterable[Located], replaced: set[str], moved: Mapping[str, Location]
) -> Iterator[Located]:
    for entry, at in entries:
        yield entry, moved[entry.sha256] if at.pack in replaced else at


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
            manifest = decoded(await objects.get(key), _Manifest)
        except (msgspec.DecodeError, NotFound):
            continue  # malformed, or removed meanwhile
        trees = (manifest.tree, *(each.tree for each in manifest.volumes))
        found |= {each.version for each in trees if each}
    return found & await _stored(objects)


async def _stored(objects: Objects) -> set[str]:
    """Return all versions that have a manifest."""
    return {layout.version_of(each.key) async for each in objects.list(layout.MANIFESTS)}


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

    What is needed of packs that are mostly garbage is packed anew; they go the next time. A commit
    that cannot be read may name any version: while there is one, all that have a manifest stay.

    :raises Conflict: somebody is writing.
    :raises Damaged: manifests are missing or malformed: what they need is not known, and nothing is
        removed.
    """
    async with collecting(objects) as presence:
        now = (await presence.renew()).written
        versions = {
            commit.version
            for dataset in await history.datasets()
            for commit in await history.commits(dataset)
        }
        versions |= {*kept, *await trees(objects)}
        versions |= await _stored(objects) if history.damaged else set()
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
        for prefix in layout.PREFIXES:
            await objects.sweep(prefix, grace)
        sizes = {each.key: each.size for each in old}
        waste = wasteful(needed.live, {key: sizes.get(layout.pack(key), 0) for key in needed.live})
        repacked = await repack(objects, versions, waste) if waste else 0
        return Collected(len(garbage), sum(each.size for each in garbage), repacked)


async def _needed(objects: Objects, versions: Iterable[str]) -> _Needed:
    """Return what versions consist of. Raises Damaged, with the names of all that is."""
    limit, needed, damaged = asyncio.Semaphore(_AT_ONCE), _Needed(), list[str]()

    async def add(version: str) -> None:
        key = layout.manifest(version)
        needed.keys.add(key)
        try:
            async with limit:
                body = await objects.get(key)
            for entry, location in manifest.decode([body], version):
                if location.pack:
                    needed.live.setdefault(location.pack, {})[location.offset] = entry.size
                needed.keys.update(map(layout.content, location.parts))
        except (Damaged, NotFound):
            damaged.append(key)

    await asyncio.gather(*map(add, versions))
    if damaged:
        raise Damaged(
            f"Manifests of the lake are missing or malformed: {', '.join(sorted(damaged))}."
            " Nothing was removed, as nobody knows what they need.",
            hint="Restore them from a copy of the lake, or remove their versions: data rm.",
        )
    for pack in needed.live:
        needed.keys |= {layout.pack(pack), layout.index(pack)}
    return needed


def _order(stored: Stored) -> tuple[bool, str]:
    return (not stored.key.endswith(layout.INDEX), stored.key)
