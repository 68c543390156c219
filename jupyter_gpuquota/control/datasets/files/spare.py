"""Parts of large files that were read from lakes: kept on disk, the last used ones."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

from ....store.tasks import in_thread
from .scratch import Scratch

KEPT = 4


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
