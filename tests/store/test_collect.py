"""What no version needs is removed, and nothing else."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.history import Commit, History, has_conditional_put
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.lake.presence import (
    EXPIRY,
    RENEWAL,
    SETTLING,
    Presence,
    Record,
    writing,
)
from jupyter_gpuquota.store.processes import Owner, started, this_process
from jupyter_gpuquota.store.sync import refresh
from jupyter_gpuquota.store.upload import Upload
from tests.builders import UNREADABLE

pytestmark = pytest.mark.asyncio

NONE = timedelta(0)


async def stored(lake: Objects, folder: Path) -> str:
    catalog = Catalog(":memory:")
    await refresh(catalog, lake)
    return (await Upload(lake, catalog, lambda _: None).run(folder)).version


async def history(lake: Objects) -> History:
    return History(lake, conditional=await has_conditional_put(lake))


def commit(version: str) -> Commit:
    return Commit(version=version, time=datetime.now(UTC))


async def complete(lake: Objects, version: str) -> bool:
    """Return whether the lake holds all that a version needs."""
    keys = {each.key async for each in lake.list("")}
    body = await lake.get(layout.manifest(version))
    return all(
        (not at.pack or layout.pack(at.pack) in keys) and {*map(layout.content, at.parts)} <= keys
        for _, at in manifest.decode([body], version)
    )


async def test_only_what_no_version_needs_goes(lake: Objects, folder: Path) -> None:
    log = await history(lake)
    first = await stored(lake, folder)
    await log.add("d", commit(first))
    (folder / "train" / "0.txt").write_text("other")
    (folder / "large").unlink()
    second = await stored(lake, folder)
    gone = await collect(lake, log, grace=NONE)
    assert gone.objects == 3, "the manifest, the pack and its index"
    assert await complete(lake, first)
    assert second not in {layout.name_of(each.key) async for each in lake.list(layout.MANIFESTS)}


async def test_kept_versions_and_young_objects_stay(lake: Objects, folder: Path) -> None:
    version = await stored(lake, folder)
    log = await history(lake)
    assert (await collect(lake, log)).objects == 0
    assert (await collect(lake, log, kept=[version], grace=NONE)).objects == 0
    assert (await collect(lake, log, grace=NONE)).objects > 0


async def test_what_snapshots_need_stays_also_without_a_commit(lake: Objects, folder: Path) -> None:
    """A commit may be removed with another snapshot of the same files while this one is made."""
    version, log = await stored(lake, folder), await history(lake)
    kept = {"schema": 99, "tree": {"version": version, "new": 1}, "session": {}}
    gone = {"schema": 1, "tree": {"version": "0" * 64}}
    bodies = [msgspec.json.encode(each) for each in (kept, gone, {"tree": None})]
    for number, body in enumerate([*bodies, b"{", b"[]"]):
        await lake.put(identity.key("ana", str(number)), body)
    assert (await collect(lake, log, grace=NONE)).objects == 0
    await lake.delete([identity.key("ana", "0")])
    assert (await collect(lake, log, grace=NONE)).objects > 0


async def test_what_killed_writers_have_left_incomplete_goes(
    lake: Objects, folder: Path, tmp_path: Path
) -> None:
    log = await history(lake)
    await log.add("d", commit(await stored(lake, folder)))
    old, new = (tmp_path / "lake" / "packs" / f"cut#{number}" for number in (1, 2))
    foreign = tmp_path / "lake" / "notes#3"
    for path in (old, new, foreign):
        path.write_bytes(b"cut")
    for path in (old, foreign):
        os.utime(path, (0, 0))
    assert (await collect(lake, log)).objects == 0
    assert [path.exists() for path in (old, new, foreign)] == [False, True, True]


async def test_nothing_goes_while_somebody_writes(lake: Objects, folder: Path) -> None:
    await stored(lake, folder)
    before = {each.key async for each in lake.list("")}
    async with writing(lake):
        with pytest.raises(Conflict, match="Other processes work on this lake: 1"):
            await collect(lake, await history(lake), grace=NONE)
    assert {each.key async for each in lake.list("")} == before


async def test_a_writer_knows_that_it_was_taken_for_dead(lake: Objects) -> None:
    async with writing(lake) as presence:
        assert await presence.remains()
        await lake.delete([presence.key])
        assert not await presence.remains()


async def test_a_writer_sees_who_collects(lake: Objects) -> None:
    collector, writer = Presence(lake, "collect"), Presence(lake, "write")
    await collector.renew()
    seen = await writer.others()
    assert (seen.live, seen.collect) == ([collector.key], True)
    seen = await collector.others()
    assert (seen.live, seen.dead, seen.collect) == ([writer.key], [], False)
    await collector.remove()
    assert await writer.others() == ([], [])


async def aged(lake: Objects, folder: Path, key: str, owner: Owner, age: timedelta) -> None:
    """Let a process have renewed its record some time ago."""
    await lake.put(key, msgspec.json.encode(Record(owner)))
    then = time.time() - age.total_seconds()
    os.utime(folder / "lake" / key, (then, then))


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """Another process of this machine."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process
        process.kill()


async def test_a_process_of_this_machine_is_dead_once_it_has_ended(
    lake: Objects, tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    key, log = layout.writer("write-1"), await history(lake)
    owner = replace(this_process(), pid=other.pid, start=started(other.pid))
    await aged(lake, tmp_path, key, owner, EXPIRY / 2)
    with pytest.raises(Conflict):
        await collect(lake, log)
    other.kill()
    other.wait()
    elsewhere = replace(owner, space="another machine")
    for each, age in ((owner, SETTLING / 2), (elsewhere, EXPIRY / 2)):
        await aged(lake, tmp_path, key, each, age)
        with pytest.raises(Conflict):
            await collect(lake, log)
    await aged(lake, tmp_path, key, owner, EXPIRY / 2)
    await collect(lake, log)
    assert not [each async for each in lake.list(layout.WRITERS)]


@pytest.mark.parametrize("body", [*UNREADABLE, b"{}", b"1", b'{"owner": 1}'], ids=range(8))
async def test_a_record_that_names_no_process_counts_until_it_expires(
    lake: Objects, tmp_path: Path, body: bytes
) -> None:
    key, log = layout.writer("write-1"), await history(lake)
    for age, counts in ((EXPIRY - RENEWAL, True), (EXPIRY, False)):
        await lake.put(key, body)
        then = time.time() - age.total_seconds()
        os.utime(tmp_path / "lake" / key, (then, then))
        with pytest.raises(Conflict) if counts else nullcontext():
            await collect(lake, log)
