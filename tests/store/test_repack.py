"""Packs that are mostly garbage are packed anew; versions and their ids stay."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect, wasteful
from jupyter_gpuquota.store.lake.objects import Objects
from tests.store.living import DATASET, entries, fetched, listing, log, synced, verified

pytestmark = pytest.mark.asyncio

NONE = timedelta(0)


async def size(lake: Objects) -> int:
    return sum([each.size async for each in lake.list(layout.PACKS)])


@pytest.fixture
def shrunk(tmp_path: Path) -> Path:
    """A folder of which little remains after `shrink`."""
    folder = tmp_path / "much"
    folder.mkdir()
    for number in range(50):
        (folder / f"{number:02}").write_bytes(b"%d" % number * 1000)
    return folder


def shrink(folder: Path) -> None:
    for number in range(3, 50):
        (folder / f"{number:02}").unlink()


async def test_what_is_left_is_packed_anew(lake: Objects, shrunk: Path, tmp_path: Path) -> None:
    await synced(lake, shrunk)
    shrink(shrunk)
    second = await synced(lake, shrunk)
    assert second.stats.added == 0, "it uses the first version's pack"
    before = await size(lake)
    assert (await collect(lake, log(lake), grace=NONE)).repacked == 0, "the first needs it all"
    await lake.delete([layout.commit(DATASET, 1)])
    gone = await collect(lake, log(lake), grace=NONE)
    assert gone.repacked == 1
    assert await verified(lake, second.version) == []
    again = await collect(lake, log(lake), grace=NONE)
    assert (again.objects, again.repacked) == (1, 0), "the old pack; its index went before"
    assert await size(lake) < before / 10
    assert listing(await fetched(lake, second.version, tmp_path / "v")) == listing(shrunk)
    (shrunk / "new").write_text("new")
    third = await synced(lake, shrunk)
    assert third.stats.added == len("new"), "writers find what was packed anew"


async def test_a_damaged_pack_stays_as_it_is(lake: Objects, shrunk: Path) -> None:
    await synced(lake, shrunk)
    shrink(shrunk)
    second = await synced(lake, shrunk)
    await lake.delete([layout.commit(DATASET, 1)])
    (pack,) = {at.pack for _, at in await entries(lake, second.version)}
    body = bytearray(await lake.get(layout.pack(pack)))
    body[5] ^= 1
    await lake.put(layout.pack(pack), bytes(body))
    assert (await collect(lake, log(lake), grace=NONE)).repacked == 0
    assert [bad.path for bad in await verified(lake, second.version)] == ["00"]


async def test_half_is_enough_to_stay() -> None:
    live = {pack: {0: size} for pack, size in {"a": 49, "b": 50}.items()}
    assert wasteful(live, {"a": 100, "b": 100}) == {"a"}
    assert wasteful(live, {}) == set()
