"""What a lake in a folder has acknowledged is on its disk, and errors of that disk are told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import NotAllowed, StorageFailed
from jupyter_gpuquota.store.cache.export import export
from jupyter_gpuquota.store.disk.files import flush
from jupyter_gpuquota.store.lake.connection import connect
from jupyter_gpuquota.store.lake.objects import Objects
from tests.local.conftest import own_disk
from tests.store.frozen.disks import disk, without_power
from tests.store.living import DATASET, listing, log, synced, verified

__all__ = ["own_disk"]

pytestmark = pytest.mark.asyncio

KINDS = pytest.mark.parametrize("kind", ["ext4", "xfs"])


@KINDS
async def test_a_sync_survives_a_power_failure(kind: str, folder: Path, tmp_path: Path) -> None:
    with disk(kind, tmp_path) as point:
        (point / "lake").mkdir()
        flush(point)
        lake = connect((point / "lake").as_uri())
        first = await synced(lake, folder, tag="v1")
        (folder / "train" / "0.txt").write_text("other")
        second = await synced(lake, folder, tag="v1")
        with without_power(kind, tmp_path) as there:
            rest = connect((there / "lake").as_uri())
            assert await log(rest).commits(DATASET) == [first, second]
            assert await log(rest).tags(DATASET) == {"v1": second.version}
            assert await verified(rest, first.version) == []
            assert await verified(rest, second.version) == []


@KINDS
async def test_a_record_that_was_replaced_or_removed_stays_so_after_a_power_failure(
    kind: str, tmp_path: Path
) -> None:
    with disk(kind, tmp_path) as point:
        lake = connect(point.as_uri())
        for number in range(3):
            await lake.put("a/b/record", b"%d" % number)
            with without_power(kind, tmp_path) as there:
                assert await connect(there.as_uri()).get("a/b/record") == b"%d" % number
        await lake.delete(["a/b/record", "a/c/none"])
        with without_power(kind, tmp_path) as there:
            assert [each.key async for each in connect(there.as_uri()).list("")] == []


@KINDS
async def test_an_export_survives_a_power_failure(
    kind: str, lake: Objects, folder: Path, tmp_path: Path
) -> None:
    version = (await synced(lake, folder)).version
    with disk(kind, tmp_path) as point:
        await export(version, point / "out", lake, None, lambda _: None)
        with without_power(kind, tmp_path) as there:
            assert listing(there / "out") == listing(folder)


async def test_files_that_are_not_complete_are_in_no_list(lake: Objects, tmp_path: Path) -> None:
    await lake.create("objects/ab/whole", b"1")
    Path(tmp_path, "lake/objects/ab/cut#17").write_bytes(b"")
    assert [each.key async for each in lake.list("objects/")] == ["objects/ab/whole"]
    assert not await lake.create("objects/ab/whole", b"2")
    assert await lake.get("objects/ab/whole") == b"1"
    await lake.put("objects/ab/whole", b"2")
    assert await lake.get("objects/ab/whole") == b"2"
    assert len(list(Path(tmp_path, "lake").rglob("*#*"))) == 1


TRY = """
import asyncio, os, sys, tempfile
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.store.lake.connection import connect
async def work(folder):
    lake = connect(f"file://{folder}")
    await lake.create(f"packs/ab/{os.getuid()}", bytes(3 << 20), durable=False)
    await lake.flush()
    await lake.put("datasets/d/tags/t.json", b"1")
    found = len([each async for each in lake.list("")])
    return found, len(await lake.get("packs/ab/4001"))
if len(sys.argv) > 2:
    with tempfile.TemporaryDirectory() as folder:  # what another account could not import
        try:
            asyncio.run(work(folder))
        except GpuQuotaError:
            pass
    os.setgroups([])
    os.setgid(4321)
    os.setuid(int(sys.argv[2]))
os.umask(0o022)
try:
    print(*asyncio.run(work(sys.argv[1])))
except GpuQuotaError as error:
    print(f"{error.code}: {error}")
sys.stdout.flush()
os._exit(0)
"""


def tried(*words: object, prefix: tuple[str, ...] = ()) -> str:
    """Return what a program prints that writes to a lake in a folder, perhaps as an account."""
    program = [*prefix, sys.executable, "-c", TRY, *map(str, words)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become other accounts")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder that other accounts reach."""
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_uid == os.geteuid() and above != Path(above.anchor):
            above.chmod(above.stat().st_mode | 0o011)
    lake = tmp_path / "shared"
    lake.mkdir()
    return lake


@as_root
async def test_accounts_of_a_group_share_a_lake_whatever_their_umask_is(shared: Path) -> None:
    os.chown(shared, 0, 4321)
    shared.chmod(0o2770)
    assert tried(shared, 4001) == "2 3145728"
    assert tried(shared, 4002) == "3 3145728"


@as_root
async def test_a_right_that_is_missing_is_named(shared: Path) -> None:
    os.chown(shared, 4001, 4321)
    shared.chmod(0o2755)
    assert tried(shared, 4001) == "2 3145728"
    said = tried(shared, 4002)
    assert said.startswith(f"NotAllowed: This account may not use {shared}/packs/ab/4002, which")
    assert "Permission denied" in said
    assert "network" not in said


@as_root
async def test_a_folder_that_cannot_be_reached_is_not_said_to_be_missing(shared: Path) -> None:
    (shared / "lake").mkdir()
    shared.chmod(0o700)
    said = tried(shared / "lake", 4002)
    assert said.startswith(f"NotAllowed: This account may not use {shared}/lake"), said
    said = tried(shared / "none")
    assert "the folder does not exist" in said


@pytest.mark.parametrize(
    ("options", "what"), [("ro", "is read-only"), ("size=1m", "is full"), ("size=9m", "0")]
)
async def test_what_a_disk_refuses_is_told(
    tmp_path: Path, own_disk: Callable[[str], list[str]], options: str, what: str
) -> None:
    said = tried(tmp_path / "disk", prefix=tuple(own_disk(options)))
    if what == "0":
        assert said.startswith("NotFound"), "the object of another account"
    else:
        assert said.startswith(f"StorageFailed: file://{tmp_path}/disk {what}"), said


@as_root
async def test_a_file_system_without_hard_links_is_told(tmp_path: Path) -> None:
    with disk("vfat", tmp_path) as point:
        lake = connect(point.as_uri())
        with pytest.raises(StorageFailed, match="its file system has no hard links"):
            await lake.create("packs/ab/1", b"1")
        await lake.put("packs/ab/1", b"1")
        assert len(list(point.rglob("*"))) == 3


async def test_what_cannot_be_read_is_named(lake: Objects, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    await lake.put("a/b", b"1")
    Path(tmp_path, "lake/a/b").chmod(0)
    with pytest.raises(NotAllowed, match=f"{tmp_path}/lake/a/b"):
        await lake.get("a/b")
