"""Unreadable and unknown files: moved out of the way with a warning, never deleted.

`set-aside/<time>-<name>/` in the state folder holds what was moved, under its own name, and in
`why.txt` the warning. The warning stays until an administrator removes that folder.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...errors import StorageFailed
from .files import sync_folder, write_file, writing

_log = logging.getLogger(__name__)

_WHY = "why.txt"


class SetAside:
    """The folder of files that were moved out of the way."""

    def __init__(self, home: Path) -> None:
        self.path = home / "set-aside"
        self._seen = 0
        self._texts: tuple[str, ...] = ()

    def move(self, paths: Sequence[Path], what: str, back: str) -> None:
        """Move files or a folder here; `what` is wrong with them, `back` tells how to restore them.

        Raises StorageFailed; then they are where they were.
        """
        entry = self._entry(paths[0].name)
        try:
            with writing(entry):
                for path in paths:
                    path.rename(entry / path.name)
                sync_folder(entry)
                sync_folder(paths[0].parent)
        except StorageFailed:
            with contextlib.suppress(OSError):
                entry.rmdir()
            raise
        self._explain(entry, f"{what} It is kept in {entry} until you remove that. {back}")

    def keep(self, name: str, data: bytes, what: str, back: str) -> None:
        """Keep data that has no file of its own. Raises StorageFailed."""
        entry = self._entry(name)
        with writing(entry):
            write_file(entry / name, data)
            sync_folder(entry)
        self._explain(entry, f"{what} It is kept in {entry} until you remove that. {back}")

    def note(self, name: str, what: str) -> None:
        """Warn of lost data until the warning is removed. Raises StorageFailed."""
        entry = self._entry(name)
        self._explain(entry, f"{what} Remove {entry} when you have read this.")

    def warnings(self) -> tuple[str, ...]:
        """Return why each entry was set aside, and how to restore it."""
        try:
            seen = self.path.stat().st_mtime_ns
        except FileNotFoundError:
            return ()
        if seen != self._seen:
            entries = sorted(path for path in self.path.iterdir() if path.is_dir())
            self._texts = tuple(text for path in entries if (text := _why(path)))
            self._seen = seen
        return self._texts

    def _entry(self, name: str) -> Path:
        """Make the folder of one entry."""
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        entry = self.path / f"{stamp}-{name}"
        with writing(entry):
            self.path.mkdir(mode=0o700, exist_ok=True)
            entry.mkdir(mode=0o700)
            sync_folder(self.path)
        return entry

    def _explain(self, entry: Path, text: str) -> None:
        with writing(entry):
            write_file(entry / _WHY, text.encode())
        self._seen = 0
        _log.warning("%s", text)


def _why(entry: Path) -> str:
    """Return the warning of one entry; empty for an empty folder."""
    try:
        return (entry / _WHY).read_text(errors="replace")
    except OSError:  # the controller was killed before it wrote that, or it cannot be read
        found = ", ".join(sorted(path.name for path in entry.iterdir()))
        return f"{found} was set aside in {entry}: look at it, then remove it." if found else ""
