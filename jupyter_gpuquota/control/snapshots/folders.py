"""The folders into which snapshots are restored."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Protocol

from ...errors import StorageFailed


class Folders(Protocol):
    """Folders by path. All methods block, and are called in a thread."""

    def problem(self, folder: str) -> str:
        """Return why a folder cannot be made, empty if it can."""

    def exists(self, folder: str) -> bool:
        """Return whether anything has this path."""

    def space(self, folder: str) -> tuple[int, int] | None:
        """Return the file system of a folder to be made, and its free bytes; None if unknown."""

    def make(self, folder: str) -> None:
        """Make an empty folder, unless it is there. Raises StorageFailed."""

    def remove(self, folder: str) -> None:
        """Remove a folder with all that it contains. Raises StorageFailed."""


class DiskFolders:
    """Folders of this machine."""

    def problem(self, folder: str) -> str:
        """Return why a folder cannot be made, empty if it can."""
        parent = Path(folder).parent
        if not parent.is_dir():
            return f"{parent} is not a folder."
        if not os.access(parent, os.W_OK | os.X_OK):
            return f"You may not write to {parent}."
        return ""

    def exists(self, folder: str) -> bool:
        """Return whether anything has this path."""
        return os.path.lexists(folder)

    def space(self, folder: str) -> tuple[int, int] | None:
        """Return the file system of a folder to be made, and its free bytes; None if unknown."""
        there = next((each for each in Path(folder).parents if each.is_dir()), Path("/"))
        try:
            return there.stat().st_dev, shutil.disk_usage(there).free
        except OSError:
            return None

    def make(self, folder: str) -> None:
        """Make an empty folder, unless it is there. Raises StorageFailed."""
        try:
            Path(folder).mkdir(exist_ok=True)
        except OSError as error:
            raise StorageFailed(
                f"{folder} cannot be made: {error.strerror}.", hint="Name another folder."
            ) from error

    def remove(self, folder: str) -> None:
        """Remove a folder with all that it contains. Raises StorageFailed."""
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageFailed(
                f"{folder} cannot be removed: {error.strerror}.", hint="Remove it yourself."
            ) from error
