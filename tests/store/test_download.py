"""Versions are written into folders: whole, verified, read-only, and published at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.store import published
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.upload import Upload
from tests.store.conftest import TWO_PARTS
from tests.store.living import fetched, listing

pytestmark = pytest.mark.asyncio


async def stored(lake: Objects, folder: Path) -> str:
    return (await Upload(lake, Catalog(":memory:"), lambda _: None).run(folder)).version


@TWO_PARTS
async def test_what_was_stored_is_fetched(lake: Objects, folder: Path, tmp_path: Path) -> None:
    (folder / os.fsdecode(b"caf\xe9\n.txt")).write_text("odd")
    (folder / ("x" * 255)).write_text("long")
    (folder / "run.sh").write_text("#!/bin/sh")
    (folder / "run.sh").chmod(0o755)
    tree = await fetched(lake, await stored(lake, folder), tmp_path / "cache" / "v")
    assert listing(tree) == listing(folder)
    assert (tree / "run.sh").stat().st_mode & 0o777 == 0o555
    assert (tree / "large").stat().st_mode & 0o777 == 0o444
    assert (tree / "train").stat().st_mode & 0o777 == 0o555
    assert (tree / "large").stat().st_blocks < 100, "holes stay holes"
    assert [path.name for path in tree.parent.parent.iterdir()] == ["v"]


@pytest.mark.parametrize("prefix", [layout.PACKS, layout.OBJECTS])
@TWO_PARTS
async def test_a_flipped_bit_is_found_and_nothing_published(
    lake: Objects, folder: Path, tmp_path: Path, prefix: str
) -> None:
    version = await stored(lake, folder)
    keys = [each.key async for each in lake.list(prefix) if not each.key.endswith(layout.INDEX)]
    body = bytearray(await lake.get(keys[0]))
    body[3] ^= 1
    await lake.put(keys[0], bytes(body))
    with pytest.raises(Damaged, match="is damaged in the lake"):
        await fetched(lake, version, tmp_path / "cache" / "v")
    assert not list((tmp_path / "cache").iterdir())


async def test_a_missing_object_is_named(lake: Objects, folder: Path, tmp_path: Path) -> None:
    version = await stored(lake, folder)
    keys = [each.key async for each in lake.list(layout.OBJECTS)]
    await lake.delete(keys)
    with pytest.raises(Damaged, match=r"^large is missing"):
        await fetched(lake, version, tmp_path / "cache" / "v")


async def test_of_two_that_publish_the_first_stays(tmp_path: Path) -> None:
    place = tmp_path / "v"
    with published.publishing(place, b"1") as first:
        with published.publishing(place, b"2") as second:
            (second / "file").write_text("second")
        (first / "file").write_text("first")
    assert (place / "tree" / "file").read_text() == "second"
    assert published.is_published(place)
    assert [path.name for path in tmp_path.iterdir()] == ["v"]


async def test_a_published_folder_is_withdrawn_and_removed(tmp_path: Path) -> None:
    place = tmp_path / "v"
    with published.publishing(place, b"") as tree:
        (tree / "sub").mkdir()
        (tree / "sub" / "file").touch(0o444)
    gone = published.withdraw(place)
    assert not published.is_published(place)
    published.remove(gone)
    assert not list(tmp_path.iterdir())
