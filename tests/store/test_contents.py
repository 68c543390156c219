"""A catalog that is brought up to date with its lake while another process uses both."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.connection import in_memory
from jupyter_gpuquota.store.lake.objects import Objects, Stored
from jupyter_gpuquota.store.packs import Held, encode_index
from jupyter_gpuquota.store.sync import refresh

pytestmark = pytest.mark.asyncio

PACK, FILE, PART = (hashlib.sha256(name).hexdigest() for name in (b"pack", b"file", b"part"))


async def store(lake: Objects, catalog: Catalog) -> None:
    """Add a pack and an object, as a sync does."""
    held = [Held(FILE, 0, 3)]
    await lake.create(layout.pack(PACK), b"abc")
    await lake.create(layout.index(PACK), encode_index(held))
    await lake.create(layout.content(PART), b"part")
    with catalog.batch():
        catalog.add_pack(PACK, held)
        catalog.add_objects([PART])


class Busy:
    """A lake to which another process adds something as soon as it has been listed."""

    def __init__(self, lake: Objects, catalog: Catalog) -> None:
        self._lake = lake
        self._catalog = catalog

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lake, name)

    async def list(self, prefix: str) -> AsyncIterator[Stored]:
        async for stored in self._lake.list(prefix):
            yield stored
        if prefix == layout.OBJECTS:
            await store(self._lake, self._catalog)


async def test_what_another_process_adds_meanwhile_is_kept(tmp_path: Path) -> None:
    mine, theirs = Catalog(tmp_path / "catalog"), Catalog(tmp_path / "catalog")
    await refresh(mine, Busy(in_memory("lake"), theirs))
    assert mine.packs() == {PACK}
    assert mine.missing([PART]) == []


async def test_what_is_gone_is_forgotten() -> None:
    lake, catalog = in_memory("lake"), Catalog(":memory:")
    await store(lake, catalog)
    await refresh(catalog, lake)
    assert (catalog.packs(), catalog.missing([PART])) == ({PACK}, [])
    await lake.delete([layout.pack(PACK), layout.index(PACK), layout.content(PART)])
    await refresh(catalog, lake)
    assert (catalog.packs(), catalog.missing([PART])) == (set(), [PART])
