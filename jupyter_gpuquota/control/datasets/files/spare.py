"""Parts of large files that were read from lakes: kept on disk, the last used ones."""

from __future__ import annotations

import asyncio
import os
import tempfile
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock

from ....store.processes import Room
from ....store.tasks import in_thread

KEPT = 4


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


class Spare:
    """A few files by name in a folder; a temporary one if `folder` is None."""

    def __init__(self, folder: Path | None, kept: int = KEPT) -> None:
        self._folder = Scratch(folder, "gpuquota-parts-")
        self._kept = kept
        self._lock = asyncio.Lock()

    async def get(self, name: str, fetch: Callable[[], Awaitable[bytes]]) -> Path:
        """Return a file; what it contains is fetched if it does not exist."""
        async with self._lock:
            path = await in_thread(self._find, name)
            if not path.exists():
                await in_thread(self._write, path, await fetch())
            return path

    def close(self) -> None:
        """Remove a temporary folder."""
        self._folder.close()

    def _find(self, name: str) -> Path:
        path = self._folder.path() / name
        if path.exists():
            os.utime(path)
        return path

    def _write(self, path: Path, body: bytes) -> None:
        found = sorted(path.parent.iterdir(), key=lambda each: each.stat().st_mtime, reverse=True)
        for old in found[self._kept - 1 :]:
            old.unlink(missing_ok=True)
        new = path.parent / f".{uuid.uuid4().hex}"
        new.write_bytes(body)
        new.rename(path)
