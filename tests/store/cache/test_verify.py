"""A cached version is hashed again; what is damaged is named, set aside and replaced."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from jupyter_gpuquota.errors import Damaged, NotFound
from jupyter_gpuquota.store.cache import index
from jupyter_gpuquota.store.cache.fetch import fetch
from jupyter_gpuquota.store.cache.places import Place
from jupyter_gpuquota.store.cache.verify import Finding, Quarantined, verify
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.history import History
from jupyter_gpuquota.store.lake.objects import Objects
from tests.store.cache.conftest import Store, flip
from tests.store.cache.test_fetch import Reports
from tests.store.conftest import TWO_PARTS
from tests.store.living import listing

pytestmark = pytest.mark.asyncio

CHANGED = "its content has changed"


async def test_a_whole_copy_is_found_whole(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    assert index.read(root)[0].verified is None
    reports = Reports()
    assert await verify(there, lake, reports) == []
    assert (reports.last.files, reports.last.bytes) == (
        reports.last.all_files,
        reports.last.all_bytes,
    )
    assert index.read(root)[0].verified is not None


@TWO_PARTS
async def test_a_flipped_bit_is_found_and_repaired(
    lake: Objects, store: Store, folder: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    flip(there.tree / "train" / "7.txt")
    found = await verify(there, lake, lambda _: None)
    assert found == [Finding("train/7.txt", CHANGED, repaired=True)]
    assert listing(there.tree) == listing(folder)
    assert (there.tree / "train" / "7.txt").stat().st_mode & 0o777 == 0o444
    assert (there.tree / "train").stat().st_mode & 0o777 == 0o555
    (note,) = (there.side / "quarantine").glob("*.json")
    assert msgspec.json.decode(note.read_bytes(), type=Quarantined).path == "train/7.txt"
    assert note.with_suffix("").read_text() == "oumber 7"
    assert await verify(there, lake, lambda _: None) == []


async def test_without_the_lake_damage_is_named_only(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    flip(there.tree / "large")
    found = await verify(there, None, lambda _: None)
    assert found == [Finding("large", CHANGED, repaired=False)]
    assert index.read(root)[0].state == "damaged"
    assert [each.repaired for each in await verify(there, lake, lambda _: None)] == [True]
    assert index.read(root)[0].state == "cached"


async def test_all_kinds_of_damage_are_repaired(lake: Objects, store: Store, folder: Path) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    for path in (there.tree, there.tree / "train", there.tree / "train" / "empty"):
        path.chmod(0o755)
    (there.tree / "train" / "1.txt").unlink()
    (there.tree / "train" / "2.txt").chmod(0o755)
    (there.tree / "train" / "empty" / "more").write_text("more")
    (there.tree / "train" / "extra").write_text("extra")
    (there.tree / "first").unlink()
    (there.tree / "first").symlink_to("train/1.txt")
    (there.tree / "large").chmod(0o644)
    with (there.tree / "large").open("ab") as file:
        file.write(b"more")
    found = {each.path: each.why for each in await verify(there, lake, lambda _: None)}
    assert found == {
        "first": "the link leads elsewhere",
        "large": "its size has changed",
        "train/1.txt": "it is missing",
        "train/2.txt": "its type or mode has changed",
        "train/empty": "it is missing",
        "train/empty/more": "it is not in the version",
        "train/extra": "it is not in the version",
    }
    assert listing(there.tree) == listing(folder)
    assert await verify(there, lake, lambda _: None) == []


async def test_versions_that_share_a_damaged_file_are_repaired_at_once(
    lake: Objects, store: Store, folder: Path
) -> None:
    first = await store(folder)
    await fetch(first, lake, lambda _: None)
    (folder / "new").write_text("new")
    second = await store(folder)
    await fetch(second, lake, lambda _: None)
    flip(first.tree / "train" / "7.txt")
    before = listing(folder)
    shared = listing(second.tree) != before
    names = [each.tree / "train" / "7.txt" for each in (first, second)]
    assert shared == names[0].samefile(names[1])
    await verify(first, lake, lambda _: None)
    assert listing(second.tree) == before
    assert await verify(second, lake, lambda _: None) == []


@TWO_PARTS
async def test_damage_in_the_lake_too_is_told(
    lake: Objects, store: Store, folder: Path, root: Path
) -> None:
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    flip(there.tree / "large")
    for key in [each.key async for each in lake.list(layout.OBJECTS)]:
        await lake.put(key, b"something else")
    (found,) = await verify(there, lake, lambda _: None)
    assert not found.repaired
    assert found.why.startswith(f"{CHANGED}; it cannot be fetched again: large is damaged in")
    assert index.read(root)[0].state == "damaged"


async def test_what_is_not_cached_cannot_be_verified(store: Store, folder: Path) -> None:
    there = await store(folder)
    with pytest.raises(NotFound, match="is not cached"):
        await verify(there, None, lambda _: None)


async def test_a_damaged_manifest_is_told(lake: Objects, store: Store, folder: Path) -> None:
    there: Place = await store(folder)
    await fetch(there, lake, lambda _: None)
    flip(there.manifest)
    with pytest.raises(Damaged, match="manifest"):
        await verify(there, lake, lambda _: None)


async def test_a_file_is_repaired_that_a_collection_has_moved(
    lake: Objects, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "much"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}").write_bytes(b"%d" % number * 1000)
    await store(folder)
    for number in range(2, 20):
        (folder / f"{number}").unlink()
    there = await store(folder)
    await fetch(there, lake, lambda _: None)
    log = History(lake, conditional=True)
    for repacked in (1, 0):
        gone = await collect(lake, log, [there.version], timedelta(0))
        assert gone.repacked == repacked
    flip(there.tree / "1")
    (found,) = await verify(there, lake, lambda _: None)
    assert found == Finding("1", CHANGED, repaired=True)
