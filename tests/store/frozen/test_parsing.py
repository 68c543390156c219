"""What the kernel and `zfs` say of file systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.store.frozen import btrfs, zfs
from jupyter_gpuquota.store.frozen.mounts import Mount, is_mounted_below, mount_of, parsed

MOUNTS = r"""22 27 0:21 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:40 / /home rw - zfs tank/home rw,xattr
41 40 0:41 /@data /home/a\040b rw - btrfs /dev/vdb\0401 rw,subvol=/@data
42 22 0:42 / /home rw - zfs tank/newer rw
"""
ALLOW = """---- Permissions on tank/home ---------------------------------------
Permission sets:
\t@all clone,create
Local permissions:
\tgroup devs snapshot
Descendent permissions:
\tuser ana rollback
Local+Descendent permissions:
\tuser ana destroy,mount
\tuser li clone
\teveryone hold
"""


@pytest.mark.parametrize(
    ("folder", "source"),
    [("/home/a b/c", "/dev/vdb 1"), ("/home/x", "tank/newer"), ("/homes", "/dev/vda")],
)
def test_the_mount_of_a_folder(folder: str, source: str) -> None:
    found = mount_of(Path(folder), list(parsed(MOUNTS)))
    assert found
    assert found.source == source


def test_mounts_inside_of_a_folder() -> None:
    known = list(parsed(MOUNTS))
    assert is_mounted_below(Path("/home"), known)
    assert not is_mounted_below(Path("/home/a b"), known)
    assert mount_of(Path("/x"), []) is None
    assert known[1] == Mount(Path("/home"), "zfs", "tank/home")


def test_what_zfs_grants() -> None:
    assert zfs.allowed(ALLOW, "ana", ["devs"]) == {"snapshot", "destroy", "mount", "hold"}
    assert zfs.allowed(ALLOW, "li", ["users"]) == {"clone", "hold"}
    assert zfs.allowed("", "ana", []) == frozenset()


def test_paths_are_single_words_of_commands() -> None:
    odd = Path("/home/a; rm -rf $HOME")
    assert btrfs.snapshot(odd, Path("/p")) == [
        *["btrfs", "subvolume", "snapshot", "-r", "/home/a; rm -rf $HOME", "/p"],
    ]
    assert zfs.destroy("tank/a b", "view-1") == ["zfs", "destroy", "tank/a b@gpuquota-view-1"]
