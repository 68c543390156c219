"""What no version needs is removed, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.commits import Commit
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.contents import refresh
from jupyter_gpuquota.store.lake.history import History, has_conditional_put
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.lake.presence import Presence, writing
from jupyter_gpuquota.store.upload import Upload

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
    assert (seen.live, seen.expired, seen.collect) == ([writer.key], [], False)
    await collector.remove()
    assert await writer.others() == ([], [])
