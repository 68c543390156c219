"""Folders that are held open, so that moving or removing them is noticed."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import StorageFailed

_REMOVED = " (deleted)"


class HeldFolder:
    """One folder at a path."""

    def __init__(self, path: Path) -> None:
        """Open the folder at a path. Raises OSError."""
        self.path = path
        self._fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def close(self) -> None:
        """Close it."""
        os.close(self._fd)

    @property
    def in_place(self) -> bool:
        """Whether its path still leads to it."""
        held = os.fstat(self._fd)
        try:
            there = self.path.stat()
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)

    @property
    def removed(self) -> bool:
        """Whether it was removed, rather than moved or unmounted."""
        return os.fstat(self._fd).st_nlink == 0 or self._where() == f"{self.path}{_REMOVED}"

    def problem(self) -> str:
        """Return what happened to it and what to do; empty if it is in place."""
        if self.in_place:
            return ""
        now = self._where()
        if self.removed and self.path.exists():
            what, remedy = "was replaced by another one", "Restart the controller."
        elif self.removed:
            what, remedy = "was removed", "It is recreated as soon as possible."
        elif now == str(self.path):
            what, remedy = "cannot be reached", "Mount its disk again."
        else:
            what, remedy = f"was moved to {now}", f"Move it back: mv {now} {self.path}"
        return f"The folder {self.path} {what}. Sessions keep running, but none starts. {remedy}"

    def _where(self) -> str:
        return str(Path(f"/proc/self/fd/{self._fd}").readlink())


class HeldFolders:
    """Folders that must stay in place."""

    def __init__(self) -> None:
        self._folders: list[HeldFolder] = []

    def hold(self, *paths: Path) -> None:
        """Open the folders at these paths instead of those held so far. Raises OSError."""
        found = [HeldFolder(path) for path in paths]
        self.close()
        self._folders = found

    def close(self) -> None:
        """Close them."""
        for folder in self._folders:
            folder.close()
        self._folders = []

    def missing(self) -> str:
        """Return which folder is not in place and what to do, empty if all are."""
        return next((text for folder in self._folders if (text := folder.problem())), "")

    def check(self) -> None:
        """Raise StorageFailed while a folder is missing; sessions cannot start then."""
        if text := self.missing():
            raise StorageFailed(text)

    def removed(self) -> bool:
        """Return whether one was removed and its path is free, so that it can be recreated."""
        away = (folder for folder in self._folders if not folder.in_place)
        return any(folder.removed for folder in away) and not any(
            folder.path.exists() for folder in self._folders if folder.removed
        )
