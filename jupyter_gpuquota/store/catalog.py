"""What a lake holds and what files contained, remembered on this machine.

Everything here can be found out again: the catalog only saves reading. Two processes may use one
file at once.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .disk.failures import own_files
from .entries import NOWHERE, Location
from .packs import Held
from .reading import Content

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    device INTEGER, inode INTEGER, size INTEGER, modified INTEGER, changed INTEGER,
    sha256 BLOB NOT NULL, parts BLOB NOT NULL, PRIMARY KEY (device, inode)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS packs (sha256 BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
    sha256 BLOB PRIMARY KEY, pack BLOB NOT NULL, place INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS held_by_pack ON held (pack);
CREATE TABLE IF NOT EXISTS objects (sha256 BLOB PRIMARY KEY) WITHOUT ROWID;
"""

_HASH = 32

SETTLED = 2_000_000_000
"""Nanoseconds after which a file's times tell a change: those of some file systems are coarse."""


class Catalog:
    """The catalog of one lake, in a SQLite file; `:memory:` remembers for one process."""

    def __init__(self, path: Path | str) -> None:
        # The threads of a process share one connection, which has one transaction.
        self._changing = threading.Lock()
        with own_files():
            try:
                self._db = _opened(path)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                # It is not a database any more: what it knew is found out again.
                for suffix in ("", "-wal", "-shm"):
                    Path(f"{path}{suffix}").unlink(missing_ok=True)
                self._db = _opened(path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make many changes as one; those of another thread are waited for."""
        with self._changing:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    # ── Files of this machine ────────────────────────────────────────────────

    def content(self, stats: os.stat_result) -> Content | None:
        """Return what a file contains if it has not changed since that was remembered."""
        row = self._db.execute(
            "SELECT sha256, parts FROM files WHERE device = ? AND inode = ?"
            " AND size = ? AND modified = ? AND changed = ?",
            (*_identity(stats),),
        ).fetchone()
        return Content(stats.st_size, row[0].hex(), _split(row[1])) if row else None

    def remember(self, stats: os.stat_result, content: Content) -> None:
        """Remember what a file contains, unless it changed too recently for its times to tell."""
        if time.time_ns() - max(stats.st_mtime_ns, stats.st_ctime_ns) < SETTLED:
            return
        parts = b"".join(map(bytes.fromhex, content.parts))
        self._db.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*_identity(stats), bytes.fromhex(content.sha256), parts),
        )

    # ── Objects of the lake ──────────────────────────────────────────────────

    def packs(self) -> set[str]:
        """Return the packs whose contents are known."""
        return {row[0].hex() for row in self._db.execute("SELECT sha256 FROM packs")}

    def add_pack(self, pack: str, held: Iterable[Held]) -> None:
        """Note what a pack holds."""
        name = bytes.fromhex(pack)
        self._db.executemany(
            "INSERT OR IGNORE INTO held VALUES (?, ?, ?)",
            ((bytes.fromhex(each.sha256), name, each.offset) for each in held),
        )
        self._db.execute("INSERT OR IGNORE INTO packs VALUES (?)", (name,))

    def drop_packs(self, packs: Iterable[str]) -> None:
        """Forget packs that do not exist any more."""
        names = [(bytes.fromhex(pack),) for pack in packs]
        self._db.executemany("DELETE FROM held WHERE pack = ?", names)
        self._db.executemany("DELETE FROM packs WHERE sha256 = ?", names)

    def objects(self) -> set[str]:
        """Return the objects that are known to exist."""
        return {row[0].hex() for row in self._db.execute("SELECT sha256 FROM objects")}

    def drop_objects(self, objects: Iterable[str]) -> None:
        """Forget objects that do not exist any more."""
        names = [(bytes.fromhex(each),) for each in objects]
        self._db.executemany("DELETE FROM objects WHERE sha256 = ?", names)

    def add_objects(self, objects: Iterable[str]) -> None:
        """Note that objects exist."""
        names = ((bytes.fromhex(each),) for each in objects)
        self._db.executemany("INSERT OR IGNORE INTO objects VALUES (?)", names)

    def missing(self, objects: Iterable[str]) -> list[str]:
        """Return those objects that do not exist."""
        query = "SELECT 1 FROM objects WHERE sha256 = ?"
        return [
            each
            for each in objects
            if not self._db.execute(query, (bytes.fromhex(each),)).fetchone()
        ]

    def location(self, content: Content) -> Location | None:
        """Return where a content is, None if the lake does not hold all of it."""
        if not content.size:
            return NOWHERE
        row = self._db.execute(
            "SELECT pack, place FROM held WHERE sha256 = ?", (bytes.fromhex(content.sha256),)
        ).fetchone()
        if row:
            return Location(pack=row[0].hex(), offset=row[1])
        return None if self.missing(content.parts) else Location(parts=content.parts)


def _opened(path: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=60, check_same_thread=False, isolation_level=None)
    try:
        database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {_SCHEMA}")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _identity(stats: os.stat_result) -> tuple[int, ...]:
    """Return the columns by which a file is known; SQLite's integers are signed."""
    inode = stats.st_ino - (1 << 64) if stats.st_ino >= 1 << 63 else stats.st_ino
    return (stats.st_dev, inode, stats.st_size, stats.st_mtime_ns, stats.st_ctime_ns)


def _split(parts: bytes) -> tuple[str, ...]:
    return tuple(parts[start : start + _HASH].hex() for start in range(0, len(parts), _HASH))
