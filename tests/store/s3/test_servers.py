"""A dataset's life over real S3 servers, and over the fake one."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from jupyter_gpuquota.errors import Conflict, NotAllowed, NotFound
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.connection import Connection, connect
from jupyter_gpuquota.store.lake.history import has_conditional_put
from jupyter_gpuquota.store.lake.presence import writing
from scripts.s3 import servers
from tests.store.living import DATASET, fetched, listing, log, synced, verified

pytestmark = pytest.mark.asyncio

NONE = timedelta(0)


async def live(lake: Connection, folder: Path, tmp_path: Path) -> None:
    """Sync twice, tag, fetch, verify, remove, collect."""
    assert await has_conditional_put(lake)
    first = await synced(lake, folder, tag="v1")
    shutil.copytree(folder, tmp_path / "before", symlinks=True)
    (folder / "train" / "0.txt").write_text("changed")
    (folder / "train" / "caf\u00e9 %2F+#?.txt").write_text("odd name")
    second = await synced(lake, folder)
    assert second.stats.added == len("changed") + len("odd name")
    assert await log(lake).commits(DATASET) == [first, second]
    assert await log(lake).tags(DATASET) == {"v1": first.version}
    assert listing(await fetched(lake, first.version, tmp_path / "v1")) == listing(
        tmp_path / "before"
    )
    assert listing(await fetched(lake, second.version, tmp_path / "v2")) == listing(folder)
    assert await verified(lake, first.version) == await verified(lake, second.version) == []
    async with writing(lake):
        with pytest.raises(Conflict):
            await collect(lake, log(lake), grace=NONE)
    assert (await collect(lake, log(lake), grace=NONE)).objects == 0
    await lake.delete([layout.commit(DATASET, 2)])
    gone = await collect(lake, log(lake), grace=NONE)
    assert gone.objects == 3, "the manifest, the pack and its index"
    assert await verified(lake, first.version) == []


async def test_a_dataset_lives_on_real_servers(
    real: Connection, folder: Path, tmp_path: Path
) -> None:
    await live(real, folder, tmp_path)


async def test_a_dataset_lives_on_the_fake_server(
    lake: Connection, folder: Path, tmp_path: Path
) -> None:
    await live(lake, folder, tmp_path)


async def test_a_bucket_that_does_not_exist_is_an_error_of_ours(real: Connection) -> None:
    with pytest.raises(NotFound):
        await real.get("nothing")
    assert [each async for each in real.list("datasets/")] == []
    await real.delete(["nothing"])


async def test_wrong_credentials_are_refused_in_plain_words(versitygw: tuple[str, Path]) -> None:
    endpoint, root = versitygw
    bucket, wrong = f"b{uuid4().hex}", {"secret_access_key": "a-guess"}
    (root / bucket).mkdir()
    lake = connect(f"s3://{bucket}/lake", **{**servers.config(endpoint), **wrong})
    asked = (
        lambda: anext(lake.list("datasets/")),
        lambda: lake.get("a"),
        lambda: lake.create("a", b""),
    )
    for each in asked:
        with pytest.raises(NotAllowed, match="refuses these credentials"):
            await each()
