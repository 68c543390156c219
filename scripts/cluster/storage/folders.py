"""The folders behind volumes and snapshots. A copy appears under its name when it is whole."""

from __future__ import annotations

import shutil
from pathlib import Path

PART = ".part"
"""Ending of copies that are not whole."""


class Folders:
    """Volumes and snapshots below `root`; `claims` has links by namespace and claim to volumes."""

    def __init__(self, root: Path, claims: Path) -> None:
        self._volumes = root / "volumes"
        self._snapshots = root / "snapshots"
        self._claims = claims
        for folder in (self._volumes, self._snapshots):
            folder.mkdir(parents=True, exist_ok=True)

    def has_volume(self, handle: str) -> bool:
        """Return whether a volume exists."""
        return (self._volumes / handle).exists()

    def require_snapshot(self, handle: str) -> None:
        """Raise FileNotFoundError if a snapshot does not exist."""
        if not (self._snapshots / handle).exists():
            raise FileNotFoundError(f"there is no snapshot {handle}")

    def make_volume(self, handle: str) -> None:
        """Make an empty volume, unless it exists."""
        (self._volumes / handle).mkdir(exist_ok=True)

    def clone(self, source: str, handle: str) -> None:
        """Make a volume with the content of another one. Raises FileNotFoundError."""
        _copy(self._volumes / source, self._volumes / handle)

    def restore(self, snapshot: str, handle: str) -> None:
        """Make a volume with the content of a snapshot. Raises FileNotFoundError."""
        _copy(self._snapshots / snapshot, self._volumes / handle)

    def snapshot(self, volume: str, handle: str) -> None:
        """Make a snapshot with the content of a volume. Raises FileNotFoundError."""
        _copy(self._volumes / volume, self._snapshots / handle)

    def link(self, namespace: str, claim: str, handle: str) -> None:
        """Let pods see a volume as a claim."""
        link = self._claims / namespace / claim
        if link.is_symlink() and link.readlink() == self._volumes / handle:
            return
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(self._volumes / handle)

    def remove_volume(self, namespace: str, claim: str, handle: str) -> None:
        """Remove a volume, and what pods saw of it."""
        link, folder = self._claims / namespace / claim, self._volumes / handle
        if link.is_symlink() and link.readlink() == folder:
            link.unlink()
        shutil.rmtree(folder, ignore_errors=True)

    def remove_snapshot(self, handle: str) -> None:
        """Remove a snapshot, if it exists."""
        shutil.rmtree(self._snapshots / handle, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    if target.exists():
        return
    part = target.with_name(target.name + PART)
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(source, part, symlinks=True)
    part.rename(target)
