"""Folders for what can be made again."""

from __future__ import annotations

import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from threading import Lock

from ....store.processes import Room


class Scratch:
    """A folder that is made when it is needed: `folder`, or a temporary one if that is None.

    Temporary ones have names that begin with `prefix`. They are removed at the end, and those that
    killed processes have left when the next one is made.
    """

    def __init__(self, folder: Path | None, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._room: Room | None = None
        self._making = Lock()

    def path(self) -> Path:
        """Return the folder, which exists. May be called in any thread. Raises OSError."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            return self._folder
        with self._making:
            if self._room and not self._room.place.exists():  # the system has cleaned up
                self._drop()
            if self._room is None:
                place = Path(tempfile.gettempdir(), f"{self._prefix}{uuid.uuid4().hex}")
                self._room = Room(place, self._prefix)
            return self._room.place

    def close(self) -> None:
        """Remove a temporary folder."""
        with self._making:
            self._drop()

    def _drop(self) -> None:
        if self._room is not None:
            with suppress(OSError):  # what is left goes with that of killed processes
                self._room.close()
        self._room = None
