"""A bit that has changed in the lake is found, wherever it is, and the files are named."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
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


@settings(max_examples=settings().max_examples // 32)
@given(st.integers(0, 10**9), st.integers(0, 7))
def test_any_bit_that_changed_is_found_and_named(place: int, bit: int) -> None:
    def flip(body: bytes, at: int) -> bytes:
        return body[:at] + bytes([body[at] ^ 1 << bit]) + body[at + 1 :]

    def has(start: int, end: int, at: int) -> bool:
        return start <= at < end

    asyncio.run(damaged(place, flip, has))


@settings(max_examples=settings().max_examples // 32)
@given(st.integers(0, 10**9))
def test_what_an_object_that_was_cut_lacks_is_found_and_named(place: int) -> None:
    def cut(body: bytes, at: int) -> bytes:
        return body[:at]

    def lost(start: int, end: int, at: int) -> bool:
        return start < end and at < end

    asyncio.run(damaged(place, cut, lost))


async def damaged(
    place: int, damage: Callable[[bytes, int], bytes], hits: Callable[[int, int, int], bool]
) -> None:
    """Damage one byte of all that a lake holds, and assert that the files that it hits are named.

    `hits` is asked with the start and the end of each file in a pack, and the place there.
    """
    with TemporaryDirectory() as home:
        folder = fill(Path(home) / "folder", SMALL + 5)
        (Path(home) / "lake").mkdir()
        lake = connect(f"file://{home}/lake")
        commit = await synced(lake, folder)
        stored = [each for prefix in CONTENTS async for each in lake.list(prefix)]
        stored = [each for each in stored if not each.key.endswith(layout.INDEX)]
        place %= sum(each.size for each in stored)
        for each in stored:
            if place < each.size:
                break
            place -= each.size
        await lake.put(each.key, damage(await lake.get(each.key), place))
        held = {
            entry.path
            for entry, at in await entries(lake, commit.version)
            if each.key in {*map(layout.content, at.parts)}
            or (layout.pack(at.pack) == each.key and hits(at.offset, at.offset + entry.size, place))
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
