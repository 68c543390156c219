"""Snapshots of folders on file systems that freeze them, while a session writes there."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.jobs.job import Job, LinesReporter
from jupyter_gpuquota.jobs.verbs import snapshot
from jupyter_gpuquota.model.datasets.jobs import JobReport
from tests.jobs.conftest import lake, lake_url
from tests.jobs.snapshots.taken import manifests, order
from tests.store.frozen.disks import disk
from tests.store.living import fetched, verified
from tests.store.test_moving import DATABASE, intact, program

__all__ = ["lake", "lake_url"]

pytestmark = [pytest.mark.asyncio, pytest.mark.rare]


@pytest.fixture(params=["btrfs", "xfs"])
def point(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    with disk(request.param, tmp_path) as mounted:
        yield mounted


@pytest.fixture(autouse=True)
def _catalogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))


async def test_a_writing_session_is_stored_as_it_was_at_one_moment(
    point: Path, lake, lake_url, tmp_path
):
    """Two files always say the same: read one after the other, they would not."""
    folder = point / "work"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number}.txt").write_text("same")
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            for name in ("a", "z"):
                (folder / "part").write_text(str(number))
                (folder / "part").replace(folder / name)

    writer = threading.Thread(target=write)
    writer.start()
    job = Job("j1", JobReport(kind="snapshot", state="waiting"), LinesReporter("j1"))
    try:
        wanted = order(folder, running=True)
        wanted = replace(wanted, draft=replace(wanted.draft, consistency="best-effort"))
        made = await snapshot.take(job, wanted, lake, lake_url)
    finally:
        stop.set()
        writer.join()
    manifest = (await manifests(lake))[made]
    assert manifest.tree
    is_atomic = point.name == "btrfs"
    assert manifest.tree.provider == ("btrfs" if is_atomic else "reflink")
    assert manifest.tree.mechanism == "instant"
    assert manifest.consistency == ("crash" if is_atomic else "best-effort")
    assert not any(each.part.startswith("written") for each in manifest.problems)
    assert job.report("running").frozen
    assert await verified(lake, manifest.tree.version) == []
    tree = await fetched(lake, manifest.tree.version, tmp_path / "out")
    assert not (tree / ".gpuquota" / "frozen").exists()
    if is_atomic:
        a, z = (int((tree / name).read_text()) for name in ("a", "z"))
        assert a - z in {0, 1}
    assert not (folder / ".gpuquota").exists()


async def test_a_session_that_rests_is_quiesced_and_known_files_are_not_read_again(
    point: Path, lake, lake_url, tmp_path
):
    folder = point / "work"
    folder.mkdir()
    (folder / "old").write_bytes(b"x" * (2 << 20))
    (folder / "new").write_text("1")
    job = Job("j1", JobReport(kind="snapshot", state="waiting"), LinesReporter("j1"))
    await snapshot.take(job, order(folder, running=True), lake, lake_url)
    (folder / "new").write_text("2")
    wanted = order(folder, running=True)
    made = await snapshot.take(
        job, replace(wanted, draft=replace(wanted.draft, note="2")), lake, lake_url
    )
    manifest = (await manifests(lake))[made]
    assert manifest.tree
    assert manifest.consistency == "quiesced"
    assert manifest.tree.added < (1 << 20)
    assert await verified(lake, manifest.tree.version) == []
    states = set()
    for path in (tmp_path / "xdg").rglob("*"):
        if path.is_file() and path.read_bytes()[:6] == b"SQLite":
            known = sqlite3.connect(path)
            states |= set(known.execute("SELECT device FROM files"))
            known.close()
    assert states <= {(folder.stat().st_dev,)}, "only the folder's own files are remembered"


@pytest.mark.parametrize("mode", ["wal", "delete"])
async def test_a_database_that_is_written_is_whole(
    point: Path, lake, lake_url, tmp_path: Path, mode: str
) -> None:
    folder = point / "work"
    (folder / "private").mkdir(parents=True)
    (folder / "private").chmod(0o700)
    (folder / "key").touch(mode=0o600)
    job = Job("j1", JobReport(kind="snapshot", state="waiting"), LinesReporter("j1"))
    wanted = order(folder, running=True)
    with program(DATABASE, folder / "mlflow.db", mode):
        for number in range(3):
            noted = replace(wanted, draft=replace(wanted.draft, note=f"{number}"))
            made = await snapshot.take(job, noted, lake, lake_url)
            manifest = (await manifests(lake))[made]
            assert manifest.tree
            tree = await fetched(lake, manifest.tree.version, tmp_path / f"out-{number}")
            for path in (tree, *tree.iterdir()):
                path.chmod(path.stat().st_mode | 0o700)
            assert manifest.tree.provider
            is_torn = any(each.part == "torn:mlflow.db" for each in manifest.problems)
            assert intact(tree / "mlflow.db") or is_torn
            modes = (tree / ".gpuquota/snapshot/modes").read_bytes()
            assert {b"700 private", b"600 key"} <= set(modes.split(b"\0"))
