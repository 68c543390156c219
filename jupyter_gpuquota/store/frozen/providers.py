"""The ways to freeze a folder of this machine, the best one first."""

from __future__ import annotations

import os
from pathlib import Path

from ..disk.clone import reflink
from ..reading import identity
from .btrfs import Btrfs
from .commands import Commands, Refused
from .mounts import Mount
from .views import PLACE, Provider, View

_WITHOUT = frozenset({"ext2", "ext3", "ext4", "tmpfs", "ramfs", "vfat", "squashfs"})
"""File systems that never have them: there, nothing is tried."""


class Reflinks:
    """Freezes folders by a copy of each file, which takes no room: file after file."""

    name = "reflink"

    def offers(self, mount: Mount) -> bool:
        """Return whether the file system may have such copies."""
        return mount.kind not in _WITHOUT

    def take(self, folder: Path, place: Path) -> View:
        """Return copies of all files of a folder. Raises Refused, OSError."""
        probe = place / "probe"
        probe.write_bytes(b"\0")
        self._copy(probe, place / "copy")
        target = place / "files"
        target.mkdir()
        states: dict[str, os.stat_result] = {}
        pending = [""]
        while pending:
            within = pending.pop()
            for entry in _entries(folder / within):
                path = f"{within}/{entry.name}" if within else entry.name
                if path == PLACE:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    (target / path).mkdir()
                    pending.append(path)
                elif entry.is_symlink():
                    (target / path).symlink_to(Path(entry.path).readlink())
                elif entry.is_file() and (state := self._copy(entry, target / path)):
                    states[path] = state
        device = folder.stat().st_dev
        return View(root=target, provider=self.name, atomic=False, device=device, states=states)

    def drop(self, place: Path) -> None:
        """Do nothing: the copies are files of the place."""

    def _copy(self, source: os.PathLike[str], target: Path) -> os.stat_result | None:
        """Copy a file; return its state, None if it is gone or was written meanwhile.

        Raises Refused.
        """
        path = Path(source)
        try:
            before = path.lstat()
            done = reflink(path, target, before.st_mode & 0o700 | 0o400)
            after = path.lstat()
        except FileNotFoundError:
            return None
        if not done:
            raise Refused(f"{path} cannot be copied without room.")
        return after if identity(before) == identity(after) else None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what a folder contains, nothing if it has been removed. Raises OSError."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def providers() -> tuple[Provider, ...]:
    """Return all ways; which of them a folder has is tried each time."""
    return (Btrfs(Commands()), Reflinks())
