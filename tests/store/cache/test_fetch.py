"""Versions are fetched into a cache: whole, once, and only what is not there already."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Damaged, InUse, InvalidFields, NotFound, StorageFailed
from jupyter_gpuquota.model.datasets.caches import Pin
from jupyter_gpuquota.store import published
from jupyter_gpuquota.store.cache import index, records, sweep
from jupyter_gpuquota.store.cache.fetch import Announcement, fetch
from jupyter_gpuquota.store.cache.places import place
from jupyter_gpuquota.store.cache.records import Fetching
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.processes import Owner, this_process
from jupyter_gpuquota.store.progress import Progress
from tests.store.cache.conftest import Store, flip
from tests.store.conftest import TWO_PARTS
from tests.store.living import listing
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Reports:
    """The last progress that was reported."""

    def __init__(self) -> None:
        self.last = Progress()

    def __call__(self, progress: Progress) -> None:
        self.last = progress


@TWO_PARTS
async def test_a_version_is_fetched_and_listed(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    (folder / ("x" * 255)).write_text("long")
    (folder / os.fsdecode(b"caf\xe9\n")).write_text("odd")
    there = await store(folder)
    reports = Reports()
    tree = await fetch(there, lake, reports)
    assert tree == there.tree
    assert listing(tree) == listing(folder)
    assert sorted(path.name for path in there.folder.iterdir()) == [
        "COMPLETE",
        "manifest.jsonl.gz",
        "tree",
    ]
    (one,) = index.read(root)
    assert (one.dataset, one.version, one.state) == ("faces", there.version, "cached")
    assert (one.files, one.size) == (reports.last.all_files, reports.last.all_bytes)
    assert (reports.last.files, reports.last.bytes) == (one.files, one.size)
    assert await fetch(there, lake, lambda _: None) == tree, "it is there already"


async def test_files_are_read_only_whatever_the_umask_is(
    lake: Objects, store: Store, folder: Path
) -> None:
    (folder / "run.sh").write_text("#!/bin/sh")
    (folder / "run.sh").chmod(0o755)
    umask = os.umask(0o077)
    try:
        tree = await fetch(await store(folder), lake, lambda _: None)
    finally:
        os.umask(umask)
    modes = {name: (tree / name).stat().st_mode & 0o777 for name in ("run.sh", "large", "train")}
    assert modes == {"run.sh": 0o555, "large": 0o444, "train": 0o555}
    assert tree.parent.stat().st_mode & 0o777 == 0o755


async def test_a_second_version_costs_its_change(lake: Objects, store: Store, folder: Path) -> None:
    first = await store(folder)
    await fetch(first, lake, lambda _: None)
    (folder / "train" / "new.txt").write_text("something new")
    second = await store(folder)
    reports = Reports()
    await fetch(second, lake, reports)
    assert reports.last.moved == len("something new")
    assert listing(second.tree) == listing(folder)
    assert (second.tree / "large").stat().st_mode & 0o777 == 0o444


async def test_another_dataset_with_equal_files_costs_nothing(
    lake: Objects, store: Store, folder: Path
) -> None:
    first, second = await store(folder), await store(folder, "others")
    await fetch(first, lake, lambda _: None)
    await lake.delete([each.key async for each in lake.list(layout.PACKS)])
    await lake.delete([each.key async for each in lake.list(layout.OBJECTS)])
    reports = Reports()
    await fetch(second, lake, reports)
    assert reports.last.moved == 0
    assert listing(second.tree) == listing(folder)


async def test_files_are_shared_only_where_modes_agree(
    lake: Objects, store: Store, folder: Path
) -> None:
    first = await store(folder)
    await fetch(first, lake, lambda _: None)
    (folder / "large").chmod(0o755)
    second = await store(folder)
    await fetch(second, lake, lambda _: None)
    one, other = (first.tree / "large").stat(), (second.tree / "large").stat()
    assert (one.st_mode & 0o777, other.st_mode & 0o777) == (0o444, 0o555)
    assert one.st_ino != other.st_ino


async def test_a_cached_file_of_another_size_is_not_shared(
    lake: Objects, store: Store, folder: Path
) -> None:
    first = await store(folder)
    await fetch(first, lake, lambda _: None)
    cut = first.tree / "train" / "0.txt"
    cut.chmod(0o644)
    cut.write_text("")
    cut.chmod(0o444)
    (folder / "new").write_text("new")
    second = await store(folder)
    await fetch(second, lake, lambda _: None)
    assert listing(second.tree) == listing(folder)


@pytest.mark.parametrize("name", ["train/0.txt", "large"])
async def test_a_cached_file_that_is_damaged_is_not_shared(
    lake: Objects, store: Store, folder: Path, name: str
) -> None:
    first = await store(folder)
    await fetch(first, lake, lambda _: None)
    flip(first.tree / name)
    (folder / "new").write_text("new")
    second = await store(folder)
    reports = Reports()
    await fetch(second, lake, reports)
    assert listing(second.tree) == listing(folder)
    assert reports.last.moved > len("new")
    assert (reports.last.files, reports.last.bytes) == (
        reports.last.all_files,
        reports.last.all_bytes,
    )


@TWO_PARTS
async def test_two_fetches_of_one_version_cost_one(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    both = [Reports(), Reports()]
    await asyncio.gather(*(fetch(there, lake, reports) for reports in both))
    moved = sorted(reports.last.moved for reports in both)
    assert moved[0] == 0
    assert moved[1] > 0
    assert index.read(root)[0].state == "cached"
    assert not list((there.side / "fetching").iterdir())


@TWO_PARTS
async def test_what_a_dead_fetch_left_is_verified_and_used(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    left = abandon(there.side / "fetching" / "dead", there.folder)
    (left / "tree" / "train").chmod(0o755)
    bad = left / "tree" / "train" / "0.txt"
    bad.chmod(0o644)
    bad.write_text("Number 0")
    (left / "tree" / "train" / "1.txt").unlink()
    assert index.read(root) == []
    reports = Reports()
    await fetch(there, lake, reports)
    assert listing(there.tree) == listing(folder)
    assert reports.last.moved == len("number 0") + len("number 1")
    assert not left.exists()
    sweep.sweep(root, kept=0)
    assert not there.side.exists()


def abandon(name: Path, published_folder: Path) -> Path:
    """Make a published version look as if its process had died while it fetched it."""
    name.parent.mkdir(parents=True, exist_ok=True)
    left = name.with_suffix(".part")
    published_folder.rename(left)
    (left / published.MARKER).unlink()
    dead = Owner(host="here", pid=1, start=1, space=this_process().space)
    records.write(name.with_suffix(".json"), Fetching(job="", owner=dead, since=1))
    return left


async def test_a_fetch_of_another_machine_is_waited_for(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    elsewhere = Owner(host="elsewhere", pid=1, start=1, space="another machine")
    record = Fetching(job="j", owner=elsewhere, since=1, size=100, files=3, done=43)
    path = there.side / "fetching" / "j-1.json"
    records.write(path, record)
    (one,) = index.read(root)
    assert (one.state, one.size, one.done, one.files) == ("fetching", 100, 43, 3)
    reports = Reports()
    fetching = asyncio.create_task(fetch(there, lake, reports))
    await wait_for(lambda: reports.last.bytes == 43)
    os.utime(path, (1, 1))  # it gives no sign of life any more
    await fetching
    assert listing(there.tree) == listing(folder)


async def test_nothing_is_left_of_a_fetch_that_fails(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    keys = [each.key async for each in lake.list(layout.OBJECTS)]
    await lake.put(keys[0], b"something else")
    with pytest.raises(Damaged, match="is damaged in the lake"):
        await fetch(there, lake, lambda _: None)
    assert index.read(root) == []
    assert not [path for path in root.rglob("*") if path.is_file()]


async def test_a_version_that_the_lake_lacks_is_named(lake: Objects, root: Path) -> None:
    with pytest.raises(NotFound, match="has no object"):
        await fetch(place(root, "faces", "0" * 64), lake, lambda _: None)


@pytest.mark.parametrize("dataset", ["", "..", "a/b", ".hidden", "x" * 256])
async def test_names_that_leave_the_cache_are_refused(dataset: str, root: Path) -> None:
    with pytest.raises(InvalidFields):
        place(root, dataset, "0" * 64)
    with pytest.raises(InvalidFields):
        place(root, "faces", "../../etc")


async def test_a_root_that_is_no_folder_is_named(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    root.write_text("")
    with pytest.raises(StorageFailed, match="cannot be used"):
        await fetch(there, lake, lambda _: None)


async def test_a_version_is_evicted_unless_it_is_pinned(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    index.pin(there, Pin(user="ana", why="the paper"))
    index.pin(there, Pin(user="li", until=NOW))
    with pytest.raises(InUse, match="pinned by ana"):
        sweep.evict(there, NOW)
    index.unpin(there, "ana")
    with pytest.raises(NotFound, match="ana has no pin"):
        index.unpin(there, "ana")
    assert sweep.evict(there, NOW)
    assert not sweep.evict(there, NOW)
    assert not list(root.iterdir())


async def test_use_and_pins_are_listed(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    later = datetime(2100, 1, 1, tzinfo=UTC)
    index.use(there, later)
    index.pin(there, Pin(user="group:ml/ana", why="the paper", until=later))
    (one,) = index.read(root)
    assert one.used == later
    assert one.pins == (Pin(user="group:ml/ana", why="the paper", until=later),)
    (there.side / "pins" / "x.json").write_text("{")
    assert [pin.user for pin in index.read(root)[0].pins].count("?") == 1, "it is kept"


async def test_what_is_half_removed_is_finished(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    published.withdraw(there.folder, there.side / "gone" / "1")
    assert [one.state for one in index.read(root)] == ["clearing"]
    sweep.sweep(root)
    assert not list(root.iterdir())


async def test_a_living_fetch_is_not_swept(store: Store, folder: Path, root: Path) -> None:
    there = await store(folder)
    own = Announcement(there, "j1")
    own.write()
    published.begin(own.part)
    assert sweep.sweep(root, kept=0) == []
    assert own.part.is_dir()
