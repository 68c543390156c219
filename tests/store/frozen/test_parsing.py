"""What the kernel says of file systems, and how programs are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.store import frozen
from jupyter_gpuquota.store.frozen import Mount, is_mounted_below, mount_of, parsed

MOUNTS = r"""22 27 0:21 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:40 / /home rw - xfs /dev/vdc rw
41 40 0:41 /@data /home/a\040b rw - btrfs /dev/vdb\0401 rw,subvol=/@data
42 22 0:42 / /home rw - nfs4 server:/home rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/home/a b/c", "btrfs"), ("/home/x", "nfs4"), ("/homes", "ext4")],
)
def test_the_mount_of_a_folder(folder: str, kind: str) -> None:
    found = mount_of(Path(folder), list(parsed(MOUNTS)))
    assert found
    assert found.kind == kind


def test_mounts_inside_of_a_folder() -> None:
    known = list(parsed(MOUNTS))
    assert is_mounted_below(Path("/home"), known)
    assert not is_mounted_below(Path("/home/a b"), known)
    assert mount_of(Path("/x"), []) is None
    assert known[1] == Mount(Path("/home"), "xfs")


def test_paths_are_single_words_of_commands() -> None:
    odd = Path("/home/a; rm -rf $HOME")
    assert frozen.snapshot(odd, Path("/p")) == [
        *["btrfs", "subvolume", "snapshot", "-r", "/home/a; rm -rf $HOME", "/p"],
    ]
