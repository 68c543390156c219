"""A folder becomes the next version of a dataset."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.history import Commit, History
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import SMALL
from jupyter_gpuquota.store.progress import Progress, Report
from jupyter_gpuquota.store.sync import Wanted, sync
from jupyter_gpuquota.store.upload import Upload

pytestmark = pytest.mark.asyncio

NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def synced(
    lake: Objects, folder: Path, message: str = "", tag: str = "", report: Report = lambda _: None
) -> Commit:
    wanted = Wanted(dataset="faces", folder=folder, message=message, author="ana", tag=tag)
    log = History(lake, conditional=True)
    return await sync(wanted, lake, log, Catalog(":memory:"), clock=lambda: NOW, report=report)


async def test_versions_follow_each_other(lake: Objects, folder: Path) -> None:
    first = await synced(lake, folder, "begin", tag="v1")
    (folder / "new").write_text("new")
    second = await synced(lake, folder, "one more")
    log = History(lake, conditional=True)
    assert await log.commits("faces") == [first, second]
    assert second.parents == (first.version,)
    assert (second.message, second.author, second.time) == ("one more", "ana", NOW)
    assert (second.stats.files, second.stats.added) == (303, 3)
    assert await log.tags("faces") == {"v1": first.version}
    assert not [each async for each in lake.list(layout.WRITERS)]


async def test_the_same_folder_is_no_new_version(lake: Objects, folder: Path) -> None:
    first = await synced(lake, folder)
    assert await synced(lake, folder, "again", tag="same") == first
    log = History(lake, conditional=True)
    assert await log.commits("faces") == [first]
    assert await log.tags("faces") == {"same": first.version}


async def test_a_writer_that_was_taken_for_dead_commits_nothing(
    lake: Objects, folder: Path
) -> None:
    async def forget() -> None:
        await lake.delete([each.key async for each in lake.list(layout.WRITERS)])

    class Forgetful(History):
        async def commits(self, dataset: str) -> list[Commit]:
            await forget()
            return await super().commits(dataset)

    wanted = Wanted(dataset="faces", folder=folder)
    log = Forgetful(lake, conditional=True)
    with pytest.raises(Conflict, match="interrupted for too long"):
        await sync(wanted, lake, log, Catalog(":memory:"), clock=lambda: NOW, report=lambda _: None)
    assert await log.commits("faces") == []


async def test_a_second_attempt_sends_only_the_rest(lake: Objects, folder: Path) -> None:
    class Killed(Exception):
        pass

    sent = []

    def report(progress: Progress) -> None:
        if progress.moved > SMALL:
            sent.append(progress.moved)
            raise Killed

    with pytest.raises(Killed):
        await synced(lake, folder, report=report)
    commit = await synced(lake, folder)
    assert commit.stats.added <= commit.stats.bytes - sent[0]


async def test_two_processes_use_one_catalog_while_a_file_is_read(
    lake: Objects, folder: Path, tmp_path: Path
) -> None:
    first, second = Catalog(tmp_path / "catalog"), Catalog(tmp_path / "catalog")
    second._db.execute("PRAGMA busy_timeout = 0")
    reads = []

    def report(progress: Progress) -> None:
        if 0 < progress.bytes < progress.all_bytes:
            # Another thread may note just now what was sent, which takes a moment.
            with suppress(sqlite3.OperationalError), second.batch():
                reads.append(progress.bytes)

    await Upload(lake, first, report).run(folder)
    assert reads
    first.close()
    second.close()
