"""One record of a lake that cannot be read is named, and all others are worked with."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.control.volumes.store import VolumeRecord
from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.model.snapshots.manifest import Manifest
from jupyter_gpuquota.model.snapshots.orders import SnapshotOrder
from jupyter_gpuquota.model.struct import decoded
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.history import Commit, Tag
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.lake.presence import Record
from tests.builders import UNREADABLE
from tests.store.living import DATASET, entries, log, synced, verified

NONE = timedelta(0)
DAMAGE = pytest.mark.parametrize("body", UNREADABLE, ids=range(len(UNREADABLE)))


@DAMAGE
@pytest.mark.asyncio
async def test_a_commit_stops_no_sync(
    lake: Objects, folder: Path, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    first = await synced(lake, folder)
    key = layout.commit(DATASET, 2)
    await lake.put(key, body)
    await lake.put(layout.tag(DATASET, "old"), body)
    (folder / "new").touch()
    with caplog.at_level(logging.WARNING):
        second = await synced(lake, folder, tag="v2")
    assert key in caplog.text
    assert second.parents == (first.version,)
    history = log(lake)
    assert await history.commits(DATASET) == [first, second]
    assert await history.tags(DATASET) == {"v2": second.version}
    assert set(history.damaged) == {key, layout.tag(DATASET, "old")}


@DAMAGE
@pytest.mark.asyncio
async def test_nothing_goes_that_a_commit_may_need(
    lake: Objects, folder: Path, body: bytes
) -> None:
    await synced(lake, folder)
    lost = await synced(lake, changed(folder))
    await lake.put(layout.commit(DATASET, 2), body)
    await lake.create(layout.content("0" * 64), b"nobody needs it")
    history = log(lake)
    gone = await collect(lake, history, grace=NONE)
    assert gone.objects == 1
    assert set(history.damaged) == {layout.commit(DATASET, 2)}
    assert await verified(lake, lost.version) == []
    await lake.delete([layout.commit(DATASET, 2)])
    assert (await collect(lake, log(lake), grace=NONE)).objects > 0


@DAMAGE
@pytest.mark.asyncio
async def test_a_manifest_keeps_everything_and_is_named(
    lake: Objects, folder: Path, body: bytes
) -> None:
    first = await synced(lake, folder)
    await lake.put(layout.manifest(first.version), body)
    await lake.delete([layout.manifest((await synced(lake, changed(folder))).version)])
    before = [each.key async for each in lake.list("")]
    with pytest.raises(Damaged, match=layout.manifest(first.version)) as raised:
        await collect(lake, log(lake), grace=NONE)
    assert raised.value.message.count("manifests/") == 2
    assert [each.key async for each in lake.list("")] == before


@pytest.mark.parametrize("body", [b"", b"cut"])
@pytest.mark.asyncio
async def test_what_an_index_does_not_tell_is_sent_again(
    lake: Objects, folder: Path, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    first = await synced(lake, folder)
    (index,) = [each.key async for each in lake.list(layout.PACKS) if each.key.endswith(".index")]
    await lake.put(index, body)
    (folder / "new").write_text("new")
    with caplog.at_level(logging.WARNING):
        second = await synced(lake, folder)
    assert index in caplog.text
    packs = {at.pack for _, at in await entries(lake, second.version) if at.pack}
    assert packs.isdisjoint({at.pack for _, at in await entries(lake, first.version)})
    assert await verified(lake, second.version) == []


@given(st.binary() | st.sampled_from(UNREADABLE))
def test_bytes_are_a_record_or_refused_in_one_way(body: bytes) -> None:
    for kind in (Commit, Tag, Record, Manifest, SnapshotOrder, VolumeRecord):
        with suppress(msgspec.DecodeError):
            assert isinstance(decoded(body, kind), kind)


def changed(folder: Path) -> Path:
    """Return a folder of which something has been replaced."""
    (folder / "train" / "0.txt").write_text("other")
    return folder
