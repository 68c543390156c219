"""Limits of folders that the file system enforces: quota groups of btrfs, see btrfs-qgroup(8).

A folder with a limit is a subvolume of its own. Limits need quotas that an administrator has turned
on for the file system, and an account that may set them: that is tried, and else a folder is a
folder. Project quotas of ext4 and XFS are only read: see `measure.limit`.
"""

from __future__ import annotations

import logging
from pathlib import Path

from ...store.frozen import Commands, Refused, mount_of, mounts

_log = logging.getLogger(__name__)

_MODE = 0o700
_ROOT = 256
"""The number of the root of a subvolume (BTRFS_FIRST_FREE_OBJECTID)."""
_USED, _LIMIT = 1, 3
"""Columns of `btrfs qgroup show -r`: the bytes that a subvolume refers to, and their limit."""


class Quotas:
    """Makes folders with limits, and reads and changes these. Runs in worker threads."""

    def __init__(self) -> None:
        self._commands = Commands()

    def make(self, folder: Path, size: int) -> None:
        """Make a folder that may take `size` bytes, 0 for any, if that can be enforced.

        Raises OSError.
        """
        if self._offers(folder.parent) and self._made(folder, size):
            folder.chmod(_MODE)
        else:
            folder.mkdir(mode=_MODE)

    def set(self, folder: Path, size: int) -> None:
        """Change the limit of a folder that was made with one; others stay as they are."""
        try:
            if self._is_limited(folder):
                self._commands.run(limiting(folder, size))
        except Refused as error:
            _log.warning("the limit of %s stays as it is: %s", folder, error)

    def limit(self, folder: Path) -> tuple[int, int]:
        """Return the bytes that a folder may take and those that it takes; 0 without a limit.

        Raises OSError.
        """
        if not self._is_limited(folder):
            return 0, 0
        try:
            return parsed(self._commands.run(showing(folder)))
        except Refused:  # there are no quotas any more, or this account may not read them
            return 0, 0

    def _made(self, folder: Path, size: int) -> bool:
        """Make a subvolume; return whether its limit is enforced, and leave none if not."""
        try:
            self._commands.run(["btrfs", "subvolume", "create", str(folder)])
            self._commands.run(limiting(folder, size))
        except Refused as error:
            _log.info("the size of %s is not enforced: %s", folder, error)
            if folder.exists():
                folder.rmdir()  # since Linux 4.18 its owner may remove an empty subvolume
            return False
        return True

    def _is_limited(self, folder: Path) -> bool:
        return folder.stat().st_ino == _ROOT and self._offers(folder)

    def _offers(self, folder: Path) -> bool:
        """Return whether a folder is on btrfs, and its program installed."""
        mount = mount_of(folder.resolve(), mounts())
        return mount is not None and mount.kind == "btrfs" and self._commands.has("btrfs")


def limiting(folder: Path, size: int) -> list[str]:
    """Return the command that limits a subvolume."""
    return ["btrfs", "qgroup", "limit", str(size) if size else "none", str(folder)]


def showing(folder: Path) -> list[str]:
    """Return the command that shows the limit of a subvolume, and what it takes."""
    return ["btrfs", "qgroup", "show", "--raw", "-r", "-f", "--sync", str(folder)]


def parsed(text: str) -> tuple[int, int]:
    """Return the limit and the bytes taken from what `showing` prints; 0 without a limit."""
    for line in text.splitlines():
        words = line.split()
        if words and words[0].startswith("0/") and words[_LIMIT].isdigit():
            return int(words[_LIMIT]), int(words[_USED])
    return 0, 0
