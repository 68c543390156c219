"""Packing anew what is left of packs that are mostly garbage.

The id of a version does not depend on packs: its manifest is written again under the same key. A
pack that was replaced stays until the next collection, for those who read by the earlier manifest;
its index goes at once, so that no writer finds it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping

from .. import manifest
from ..entries import Entry, Located, Location
from ..packs import Pack, Packer, encode_index
from . import layout
from .objects import Objects

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
    await objects.create(layout.pack(pack.sha256), pack.body)
    await objects.create(layout.index(pack.sha256), encode_index(pack.held))
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
