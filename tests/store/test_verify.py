"""A bit that has changed in the lake is found, wherever it is, and the files are named."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import SMALL
from jupyter_gpuquota.store.progress import Progress
from jupyter_gpuquota.store.verify import Verification
from tests.store.conftest import fill
from tests.store.living import entries, synced, verified

CONTENTS = (layout.PACKS, layout.OBJECTS)


@given(st.integers(0, 10**9), st.integers(0, 7))
def test_any_bit_that_changed_is_found_and_named(place: int, bit: int) -> None:
    with TemporaryDirectory() as home:
        asyncio.run(flipped(Path(home), place, bit))


async def flipped(home: Path, place: int, bit: int) -> None:
    folder = fill(home / "folder", SMALL + 5)
    (home / "lake").mkdir()
    lake = connect(f"file://{home}/lake")
    commit = await synced(lake, folder)
    stored = [each for prefix in CONTENTS async for each in lake.list(prefix)]
    stored = [each for each in stored if not each.key.endswith(layout.INDEX)]
    place %= sum(each.size for each in stored)
    for each in stored:
        if place < each.size:
            break
        place -= each.size
    body = bytearray(await lake.get(each.key))
    body[place] ^= 1 << bit
    await lake.put(each.key, bytes(body))
    held = {
        entry.path
        for entry, at in await entries(lake, commit.version)
        if each.key in {*map(layout.content, at.parts)}
        or (layout.pack(at.pack) == each.key and at.offset <= place < at.offset + entry.size)
    }
    assert held
    assert {bad.path for bad in await verified(lake, commit.version)} == held


@pytest.mark.asyncio
async def test_progress_counts_all_files(lake: Objects, folder: Path) -> None:
    commit = await synced(lake, folder)
    seen: list[Progress] = []
    check = Verification(lake, seen.append)
    assert not [bad async for bad in check.run(await entries(lake, commit.version))]
    assert (seen[-1].files, seen[-1].bytes) == (commit.stats.files, commit.stats.bytes)


@pytest.mark.asyncio
async def test_a_damaged_manifest_is_told(lake: Objects, folder: Path) -> None:
    commit = await synced(lake, folder)
    key = layout.manifest(commit.version)
    body = bytearray(await lake.get(key))
    body[len(body) // 2] ^= 1
    await lake.put(key, bytes(body))
    with pytest.raises(Damaged):
        await verified(lake, commit.version)
