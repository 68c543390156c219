"""Folders are stored in a lake: whole, once, and resumed."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import GpuQuotaError, InvalidFields
from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.entries import FILE, Entry, Location
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import PART
from jupyter_gpuquota.store.progress import Progress
from jupyter_gpuquota.store.sources import Folder, Size
from jupyter_gpuquota.store.sync import refresh
from jupyter_gpuquota.store.tasks import Background
from jupyter_gpuquota.store.tree import Found
from jupyter_gpuquota.store.upload import Upload, Uploaded
from tests.store.conftest import TWO_PARTS

pytestmark = pytest.mark.asyncio


async def upload(lake: Objects, folder: Path, catalog: Catalog | None = None) -> Uploaded:
    catalog = catalog or Catalog(":memory:")
    await refresh(catalog, lake)
    return await Upload(lake, catalog, lambda _: None).run(folder)


async def contents(lake: Objects, version: str) -> AsyncIterator[tuple[Entry, bytes]]:
    """Yield every entry of a version with its bytes, read from the lake."""
    body = await lake.get(layout.manifest(version))
    for entry, location in manifest.decode([body], version):
        yield entry, await content(lake, entry, location)


async def content(lake: Objects, entry: Entry, location: Location) -> bytes:
    if location.pack:
        return (await lake.get_ranges(layout.pack(location.pack), [location.offset], [entry.size]))[
            0
        ]
    return b"".join([await lake.get(layout.content(part)) for part in location.parts])


async def keys(lake: Objects) -> set[str]:
    return {stored.key async for stored in lake.list("")}


@TWO_PARTS
async def test_a_folder_is_stored_whole(lake: Objects, folder: Path) -> None:
    done = await upload(lake, folder)
    found = {entry.path: (entry, body) async for entry, body in contents(lake, done.version)}
    assert len(found) == 300 + 4
    assert found["first"][0].target == "train/0.txt"
    assert found["train/empty"][0].mode == "040000"
    for path, (entry, body) in found.items():
        if entry.is_file:
            assert body == (folder / path).read_bytes(), path
    assert done.stats.files == 302


@TWO_PARTS
async def test_equal_files_are_stored_once(lake: Objects, folder: Path) -> None:
    await upload(lake, folder)
    (index,) = [key for key in await keys(lake) if key.endswith(".index")]
    assert len(await lake.get(index)) == 100 * 48
    assert len([key for key in await keys(lake) if key.startswith("objects/")]) == 2


async def test_the_second_time_nothing_is_sent(lake: Objects, folder: Path) -> None:
    first = await upload(lake, folder)
    before = await keys(lake)
    again = await upload(lake, folder)
    assert (again.version, again.stats.added) == (first.version, 0)
    (folder / "train" / "0.txt").write_text("new")
    changed = await upload(lake, folder)
    assert changed.stats.added == len("new")
    assert len(await keys(lake) - before) == 3


@TWO_PARTS
async def test_progress_reaches_its_total(lake: Objects, folder: Path) -> None:
    seen: list[Progress] = []
    await Upload(lake, Catalog(":memory:"), seen.append).run(folder)
    assert (seen[-1].files, seen[-1].bytes) == (seen[-1].all_files, seen[-1].all_bytes)
    assert seen[-1].all_bytes == PART + 5 + sum(len(f"number {n % 100}") for n in range(300))


async def test_all_paths_that_cannot_be_stored_are_named(lake: Objects, folder: Path) -> None:
    (folder / "out").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("..")
    with pytest.raises(InvalidFields, match="cannot be stored: 2") as raised:
        await upload(lake, folder)
    assert [error.field for error in raised.value.fields] == ["folder.out", "folder.up"]
    assert not await keys(lake)


async def test_the_manifest_is_readable_with_standard_tools(lake: Objects, folder: Path) -> None:
    done = await upload(lake, folder)
    text = gzip.decompress(await lake.get(layout.manifest(done.version)))
    assert json.loads(text.splitlines()[0]) == {
        "path": "first",
        "mode": "120000",
        "target": "train/0.txt",
    }


async def test_work_in_the_background_is_awaited_and_its_errors_are_raised() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        await asyncio.sleep(0)
        if number < 0:
            raise ValueError(number)
        done.append(number)

    async with Background(2) as background:
        for number in range(5):
            await background.start(work, number)
    assert done == [0, 1, 2, 3, 4]

    async def fail() -> None:
        async with Background(1) as background:
            for number in (-1, 6, 7):
                await background.start(work, number)

    with pytest.raises(ValueError, match="-1"):
        await fail()
    assert 7 not in done


class Forgiving(Folder):
    """A folder of which files are left out that are gone when they are read."""

    def survey(self) -> Size:
        found = super().survey()
        for name in ("large", "train/7.txt"):
            (self._root / name).unlink()
            (self._root / name).symlink_to("nowhere")
        return found

    async def batches(self):
        async for batch in super().batches():
            yield [Found(each.path, FILE) if "nowhere" in each.target else each for each in batch]

    def instead(self, found: Found, error: GpuQuotaError) -> Found | None:
        return None


async def test_a_source_may_go_on_without_files_that_are_gone(lake, folder):
    uploaded = await Upload(lake, Catalog(":memory:"), lambda _: None).run(Forgiving(folder))
    paths = {entry.path async for entry, _ in contents(lake, uploaded.version)}
    assert "train/8.txt" in paths
    assert paths.isdisjoint({"large", "train/7.txt"})
