"""Bringing a catalog up to date with what its lake holds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from ..catalog import Catalog
from ..packs import decode_index
from . import layout
from .objects import Objects

_AT_ONCE = 32


async def refresh(catalog: Catalog, objects: Objects) -> None:
    """Note every pack and object of a lake, and forget those that are gone.

    A pack counts once its index exists, which is written after it.
    """
    # What another process adds after this is not missed in a list that was made before.
    known, known_objects = catalog.packs(), catalog.objects()
    found = {layout.name_of(key) async for key in _keys(objects, layout.PACKS)}
    packs = {name.removesuffix(layout.INDEX) for name in found if name.endswith(layout.INDEX)}
    whole = {layout.name_of(key) async for key in _keys(objects, layout.OBJECTS)}
    indexes = await _read(objects, sorted(packs - known))
    with catalog.batch():
        catalog.drop_packs(known - packs)
        for pack, index in indexes:
            catalog.add_pack(pack, decode_index(index))
        catalog.drop_objects(known_objects - whole)
        catalog.add_objects(whole - known_objects)


async def _read(objects: Objects, packs: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return the indexes of packs."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def one(pack: str) -> tuple[str, bytes]:
        async with limit:
            return pack, await objects.get(layout.index(pack))

    return await asyncio.gather(*map(one, packs))


async def _keys(objects: Objects, prefix: str) -> AsyncIterator[str]:
    async for stored in objects.list(prefix):
        yield stored.key
