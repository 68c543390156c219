"""Listings: the entries of versions, and the differences of two, as SQLite files.

A listing is built once from a manifest, in a thread, and replaced by nothing: versions never
change. It can be built again at any time, so the least recently used go when there are too many.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import uuid
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from ....store.tasks import in_thread
from .spare import Scratch

BOUND = 1 << 30
"""Bytes that all listings may take together; the last one may be larger."""

Build = Callable[[sqlite3.Connection], None]
"""Fills an empty database; called in a thread."""

Prepare = Callable[[], Awaitable[Build]]
"""Reads what a listing is built from; called only if it has to be built."""

_FAST = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"


class Listings:
    """The listings in a folder; one that is removed at the end if `folder` is None."""

    def __init__(self, folder: Path | None, bound: int = BOUND) -> None:
        self._folder = Scratch(folder, "gpuquota-listings-")
        self._bound = bound
        self._building: dict[str, asyncio.Task[Path]] = {}

    async def get(self, name: str, prepare: Prepare) -> Path:
        """Return the file of a listing, built if it does not exist. Raises what that raises.

        It is built once for all who ask meanwhile, and to the end whoever of them gives up.
        """
        task = self._building.get(name)
        if task is None:
            task = asyncio.create_task(self._get(name, prepare))
            self._building[name] = task
            task.add_done_callback(lambda _: self._building.pop(name, None))
        return await asyncio.shield(task)

    def close(self) -> None:
        """Stop building; remove the folder if it is a temporary one."""
        for task in self._building.values():
            task.cancel()
        self._folder.close()

    async def _get(self, name: str, prepare: Prepare) -> Path:
        path = await in_thread(self._find, name)
        if not path.exists():
            await in_thread(self._build, path, await prepare())
        return path

    def _find(self, name: str) -> Path:
        """Return the path of a listing, and note that it is used."""
        path = self._folder.path() / f"{name}.sqlite"
        if path.exists():
            os.utime(path)
        return path

    def _build(self, path: Path, build: Build) -> None:
        new = path.parent / f".{uuid.uuid4().hex}.part"
        try:
            with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as db:
                db.executescript(f"{_FAST} BEGIN")
                build(db)
                db.execute("COMMIT")
            new.rename(path)
        finally:
            new.unlink(missing_ok=True)
        self._tidy(path)

    def _tidy(self, kept: Path) -> None:
        """Remove the least recently used listings, and what a killed process has left."""
        found = [(path.stat(), path) for path in kept.parent.iterdir()]
        total = sum(stats.st_size for stats, _ in found)
        for stats, path in sorted(found, key=lambda each: each[0].st_mtime):
            if path != kept and (total > self._bound or _is_left(path, kept)):
                path.unlink(missing_ok=True)
                total -= stats.st_size


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a finished listing for reading."""
    with contextlib.closing(
        sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    ) as db:
        yield db


_LEFT = 3600


def _is_left(path: Path, newest: Path) -> bool:
    """Return whether a half-built listing is too old to be built still."""
    old = newest.stat().st_mtime - path.stat().st_mtime > _LEFT
    return path.suffix == ".part" and old
