"""Limits of volumes on real file systems: enforced where quotas are on, else told not to be."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from jupyter_gpuquota import Client
from jupyter_gpuquota.control.volumes.store import Measured, VolumeRecord
from jupyter_gpuquota.local.volumes.quotas import parsed
from jupyter_gpuquota.local.volumes.store import FolderVolumes
from tests.local.test_session_data import CONFIG
from tests.shell import opened, wait_for
from tests.store.frozen.disks import disk

MIB = 1 << 20
SMALL = VolumeRecord(name="small", project="team-a", size=8 * MIB)


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Path]:
    with disk("btrfs", tmp_path) as folder:
        yield folder


@pytest.fixture
def limited(plain: Path) -> Path:
    subprocess.run(["btrfs", "quota", "enable", str(plain)], check=True)
    return plain


def measured(store: FolderVolumes, record: VolumeRecord) -> Measured:
    return store.measure(record, lambda: False)


def written(store: FolderVolumes, record: VolumeRecord, size: int, name: str = "data") -> bool:
    """Return whether a file fits into a volume."""
    return fits(Path(store.folder(record)), size, name)


def fits(folder: Path, size: int, name: str = "data") -> bool:
    """Return whether a file fits into a folder."""
    path = folder / name
    wrote = subprocess.run(
        ["dd", "if=/dev/urandom", f"of={path}", "bs=1M", f"count={size // MIB}", "conv=fsync"],
        check=False,
        capture_output=True,
    )
    return not wrote.returncode


def groups(disk: Path) -> str:
    shown = subprocess.run(
        ["btrfs", "qgroup", "show", "--sync", str(disk)], check=True, capture_output=True, text=True
    )
    return shown.stdout


def test_a_limit_is_enforced_grows_and_goes(limited: Path) -> None:
    store = FolderVolumes(limited)
    store.add(SMALL)
    assert Path(store.folder(SMALL)).stat().st_mode & 0o777 == 0o700
    assert measured(store, SMALL).limit == SMALL.size
    assert not written(store, SMALL, 12 * MIB)
    assert 0 < (measured(store, SMALL).used or 0) <= SMALL.size
    larger = replace(SMALL, size=32 * MIB)
    store.save(larger)
    assert measured(store, larger).limit == larger.size
    assert written(store, larger, 12 * MIB)
    endless = replace(SMALL, size=0)
    store.save(endless)
    assert measured(store, endless).limit == 0
    assert written(store, endless, 40 * MIB, "more")


def test_a_volume_without_a_limit_gets_one(limited: Path) -> None:
    store = FolderVolumes(limited)
    endless = replace(SMALL, size=0)
    store.add(endless)
    assert measured(store, endless) == Measured(used=0)
    store.save(SMALL)
    assert measured(store, SMALL).limit == SMALL.size
    assert not written(store, SMALL, 12 * MIB)


def test_the_answer_to_a_change_says_whether_the_size_is_enforced(limited: Path) -> None:
    with opened(limited, CONFIG) as shell:
        shell.ok("quota")
        volumes = Client(state_dir=shell.folder / "state").volumes
        first = volumes.create("scans")
        assert (first.size, first.enforced) == (0, False)
        grown = volumes.grow("scans", "64Mi")
        assert (grown.size, grown.enforced) == (64 * MIB, True)


def test_restored_volumes_are_limited_as_the_original_is(limited: Path) -> None:
    with opened(limited, CONFIG) as shell:
        shell.ok("quota")
        client = Client(state_dir=shell.folder / "state")
        small = Path(client.volumes.create("small", size="8Mi").folder)
        (small / "weights").write_bytes(bytes(MIB))
        folder = limited / "trains"
        folder.mkdir()
        mounts = ["small:/small"]
        client.sessions.submit(
            "trains", command=["sleep", "600"], folder=str(folder), volumes=mounts, wait=True
        )
        client.snapshots.create("trains", tags=["first"])
        client.sessions.stop("trains", wait=True)
        (small / "weights").write_text("changed")
        client.snapshots.restore("first", "again")
        made = client.volumes.get("again-small")
        assert (made.size, made.enforced) == (8 * MIB, True)
        assert Path(made.folder, "weights").read_bytes() == bytes(MIB)
        assert not fits(Path(made.folder), 12 * MIB)
        assert (small / "weights").read_text() == "changed"
        client.sessions.stop("again", wait=True)
        for name in ("small", "again-small"):
            client.volumes.delete(name)
        wait_for(lambda: "files" not in groups(limited))


def test_a_removed_volume_leaves_no_quota(limited: Path) -> None:
    store = FolderVolumes(limited)
    store.add(SMALL)
    assert written(store, SMALL, MIB)
    assert "files" in groups(limited)
    store.remove(SMALL)
    store.tidy()
    assert not list(limited.glob("volumes/*/*"))
    wait_for(lambda: "files" not in groups(limited))


def test_a_shared_folder_keeps_the_limit_that_it_has(limited: Path) -> None:
    store = FolderVolumes(limited / "state")
    folder = limited / "shared"
    folder.mkdir()
    shared = replace(SMALL, folder=str(folder))
    store.add(shared)
    assert measured(store, shared).limit == 0
    assert written(store, shared, 12 * MIB)


def test_without_quotas_a_size_is_not_enforced(plain: Path) -> None:
    store = FolderVolumes(plain)
    store.add(SMALL)
    assert Path(store.folder(SMALL)).stat().st_ino != 256, "no subvolume is left"
    assert measured(store, SMALL).limit == 0
    assert written(store, SMALL, 12 * MIB)
    store.save(replace(SMALL, size=32 * MIB))
    assert measured(store, SMALL).limit == 0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0/257  31457280  31457280  20971520  none  v", (20971520, 31457280)),
        ("0/257  16384  16384  none  none  v", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_what_btrfs_shows(text: str, found: tuple[int, int]) -> None:
    assert parsed(f"Qgroupid Referenced\n-------- ----------\n{text}\n") == found


def test_a_subvolume_is_no_file_system_of_its_own(plain: Path) -> None:
    folder = plain / "shared"
    subprocess.run(["btrfs", "subvolume", "create", str(folder)], check=True)
    shared = replace(SMALL, folder=str(folder))
    assert measured(FolderVolumes(plain / "state"), shared).limit == 0
    mounted = replace(SMALL, folder=str(plain))
    assert measured(FolderVolumes(plain / "state"), mounted).limit > 300 * MIB
