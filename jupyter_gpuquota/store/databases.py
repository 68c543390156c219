"""SQLite databases that programs write while they are stored.

SQLite copies a database as it is at one moment, with what is in its log. The files one by one would
be of different moments: see sqlite.org/howtocorrupt.html.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

_MAGIC = b"SQLite format 3\0"
_PAGE = 512
"""The bytes of the smallest page: every database has a multiple of them."""
_LOG, _INDEX, _JOURNAL = "-wal", "-shm", "-journal"
SIDES = (_LOG, _INDEX, _JOURNAL)
"""The ends of the names of files that belong to a database."""
_PATIENCE = 0.1
"""Seconds to wait for a lock; and to hold one for which writers wait."""
_STEP = 256
"""Pages that are copied between two looks at the clock."""


def is_database(path: Path, size: int) -> bool:
    """Return whether a file of some bytes is a SQLite database, by its beginning."""
    if size < _PAGE or size % _PAGE:
        return False
    with path.open("rb", buffering=0) as file:
        return file.read(len(_MAGIC)) == _MAGIC


def is_at_work(path: Path) -> bool:
    """Return whether a program has opened a database, and changed what is not in its file yet.

    A log without an index was left by a program that is gone: whoever opens both files reads it.
    """
    changed = _size(path, _LOG) > 0 and _size(path, _INDEX) > 0
    return changed or _size(path, _JOURNAL) > 0


def has_log(path: Path) -> bool:
    """Return whether changes of a database are in another file."""
    return _size(path, _LOG) > 0 or _size(path, _JOURNAL) > 0


def backup(source: Path, target: Path, patience: float = _PATIENCE) -> None:
    """Write a database to a new file, as it is at one moment.

    Those who write a log go on meanwhile. Others wait for `patience` seconds at most.

    :raises sqlite3.Error: it is locked for longer, or cannot be read.
    """
    address = f"file:{quote(os.fsencode(source.absolute()))}?mode=ro"
    with (
        closing(sqlite3.connect(address, uri=True, timeout=patience, isolation_level=None)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        new.execute("PRAGMA synchronous = OFF")
        (mode,) = old.execute("PRAGMA journal_mode").fetchone()
        old.execute("BEGIN")
        old.execute("SELECT count(*) FROM sqlite_master").fetchone()
        end = time.monotonic() + patience

        def check(_status: int, left: int, _all: int) -> None:
            if left and mode != "wal" and time.monotonic() > end:
                raise sqlite3.OperationalError("it is too large to be locked while it is copied")

        old.backup(new, pages=_STEP, progress=check)


def _size(path: Path, side: str) -> int:
    with suppress(OSError):
        return path.with_name(f"{path.name}{side}").stat().st_size
    return 0
