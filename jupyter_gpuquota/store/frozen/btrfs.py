"""Read-only snapshots of btrfs subvolumes: see btrfs-subvolume(8).

Whoever owns a subvolume may take a snapshot of it; only root may remove one again, unless the file
system is mounted with `user_subvol_rm_allowed`. That is tried before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .commands import Commands, Refused
from .mounts import Mount
from .views import PLACE, View

_ROOT = 256
"""The number of the root of a subvolume (BTRFS_FIRST_FREE_OBJECTID)."""
_EMPTY = 2
"""The number of the folder in which a snapshot lacks a subvolume (EMPTY_SUBVOL_DIR_OBJECTID)."""
_WORDS = ("btrfs", "subvolume")


class Btrfs:
    """Freezes folders of btrfs, with the program `btrfs`."""

    name = "btrfs"

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def offers(self, mount: Mount) -> bool:
        """Return whether this is btrfs, and its program installed."""
        return mount.kind == "btrfs" and self._commands.has("btrfs")

    def take(self, folder: Path, place: Path) -> View:
        """Return a snapshot of the folder's subvolume. Raises Refused, OSError."""
        volume = _volume(folder)
        self._probe(place / "probe")
        target = _target(place)
        self._commands.run(snapshot(volume, target))
        root = target / folder.relative_to(volume)
        if missing := next(_missing(root), ""):
            raise Refused(f"{missing} is a subvolume of its own.")
        return View(root=root, provider=self.name, atomic=True, device=folder.stat().st_dev)

    def drop(self, place: Path) -> None:
        """Remove the snapshot. Raises Refused."""
        if _target(place).is_dir():
            self._commands.run(delete(_target(place)))

    def _probe(self, place: Path) -> None:
        """Refuse unless this account may remove what it makes."""
        self._commands.run(create(place))
        try:
            self._commands.run(delete(place))
        except Refused:
            place.rmdir()  # since Linux 4.18 its owner may remove an empty subvolume
            raise


def create(place: Path) -> list[str]:
    """Return the command that makes an empty subvolume."""
    return [*_WORDS, "create", str(place)]


def snapshot(volume: Path, place: Path) -> list[str]:
    """Return the command that takes a read-only snapshot of a subvolume."""
    return [*_WORDS, "snapshot", "-r", str(volume), str(place)]


def delete(place: Path) -> list[str]:
    """Return the command that removes a subvolume."""
    return [*_WORDS, "delete", str(place)]


def _target(place: Path) -> Path:
    return place / "btrfs"


def _volume(folder: Path) -> Path:
    """Return the root of the subvolume that a folder is in. Raises Refused, OSError."""
    device = folder.stat().st_dev
    same = [each for each in (folder, *folder.parents) if each.stat().st_dev == device]
    if same[-1].stat().st_ino != _ROOT:
        raise Refused(f"The root of the subvolume of {folder} is not mounted.")
    return same[-1]


def _missing(root: Path) -> Iterator[str]:
    """Yield the subvolumes inside of a folder, which its snapshot has as empty folders."""
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if path == PLACE or not entry.is_dir(follow_symlinks=False):
                    continue
                if entry.stat(follow_symlinks=False).st_ino == _EMPTY:
                    yield path
                elif os.access(entry.path, os.R_OK | os.X_OK):
                    pending.append(path)
