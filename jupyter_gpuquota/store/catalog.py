"""What a lake holds and what files contained, remembered on this machine.

Everything here can be found out again: the catalog only saves reading. Two processes may use one
file at once.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from .disk.failures import own_files
from .entries import Location
from .packs import SMALL, Held
from .reading import Content

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    device INTEGER, inode INTEGER, size INTEGER, modified INTEGER, changed INTEGER,
    sha256 BLOB NOT NULL, parts BLOB NOT NULL, PRIMARY KEY (device, inode)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS plain (
    device INTEGER, inode INTEGER, size INTEGER, modified INTEGER, changed INTEGER,
    PRIMARY KEY (device, inode)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS packs (sha256 BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS held (
    sha256 BLOB PRIMARY KEY, pack BLOB NOT NULL, place INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS held_by_pack ON held (pack);
CREATE TABLE IF NOT EXISTS objects (sha256 BLOB PRIMARY KEY) WITHOUT ROWID;
"""

_HASH = 32
_AT_ONCE = 256
"""Rows that one query asks for."""

T = TypeVar("T")

Identity = tuple[int, int, int, int, int]
"""What a file is known by: device, inode, size, and when it was modified and changed."""

SETTLED = 2_000_000_000
"""Nanoseconds after which a file's times tell a change: those of some file systems are coarse."""


class KnownFiles:
    """Files of this machine, in a SQLite file; `:memory:` remembers for one process."""

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

    def contents(self, files: Iterable[os.stat_result]) -> dict[Identity, Content]:
        """Return what files contain that have not changed since that was remembered.

        Small ones are only there if the lake holds them.
        """
        found: dict[Identity, Content] = {}
        for some in _some(map(identity, files)):
            rows = self._db.execute(
                f"WITH wanted (device, inode) AS (VALUES {', '.join(['(?, ?)'] * len(some))})"  # noqa: S608 (marks only)
                " SELECT device, inode, size, modified, changed, sha256, parts FROM wanted"
                " CROSS JOIN files USING (device, inode)"
                " WHERE size = 0 OR size >= ? OR sha256 IN (SELECT sha256 FROM held)",
                (*(part for each in some for part in each[:2]), SMALL),
            )
            known = {row[:5]: _content(*row[2:]) for row in rows}
            found |= {each: known[each] for each in some if each in known}
        return found

    def remember(self, files: Iterable[tuple[os.stat_result, Content]]) -> None:
        """Remember what files contain, but for what changed too recently for its times to tell."""
        now = time.time_ns()
        self._db.executemany(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *identity(stats),
                    bytes.fromhex(content.sha256),
                    b"".join(map(bytes.fromhex, content.parts)),
                )
                for stats, content in files
                if now - max(stats.st_mtime_ns, stats.st_ctime_ns) >= SETTLED
            ],
        )

    def plain(self, files: Iterable[os.stat_result]) -> set[Identity]:
        """Return which files have no keys in them, and have not changed since that was seen."""
        found: set[Identity] = set()
        for some in _some(map(identity, files)):
            rows = self._db.execute(
                f"WITH wanted (device, inode) AS (VALUES {', '.join(['(?, ?)'] * len(some))})"  # noqa: S608 (marks only)
                " SELECT device, inode, size, modified, changed FROM wanted"
                " CROSS JOIN plain USING (device, inode)",
                [part for each in some for part in each[:2]],
            )
            found |= set(rows) & set(some)
        return found

    def remember_plain(self, files: Iterable[os.stat_result]) -> None:
        """Remember files without keys, but for what changed too recently, as `remember` does."""
        now = time.time_ns()
        self._db.executemany(
            "INSERT OR REPLACE INTO plain VALUES (?, ?, ?, ?, ?)",
            [
                identity(each)
                for each in files
                if now - max(each.st_mtime_ns, each.st_ctime_ns) >= SETTLED
            ],
        )


class Catalog(KnownFiles):
    """The catalog of one lake: files of this machine, and objects of the lake."""

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

    def locations(self, contents: Iterable[str]) -> dict[str, Location]:
        """Return where the lake holds small files, by the sha256 of what they contain."""
        found: dict[str, Location] = {}
        for some in _some(contents):
            rows = self._db.execute(
                "SELECT sha256, pack, place FROM held"  # noqa: S608 (marks only)
                f" WHERE sha256 IN ({', '.join('?' * len(some))})",
                [bytes.fromhex(each) for each in some],
            )
            found |= {row[0].hex(): Location(pack=row[1].hex(), offset=row[2]) for row in rows}
        return found


def _opened(path: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=60, check_same_thread=False, isolation_level=None)
    try:
        database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {_SCHEMA}")
    except sqlite3.Error:
        database.close()
        raise
    return database


def identity(stats: os.stat_result) -> Identity:
    """Return the columns by which a file is known; SQLite's integers are signed."""
    inode = stats.st_ino - (1 << 64) if stats.st_ino >= 1 << 63 else stats.st_ino
    return (stats.st_dev, inode, stats.st_size, stats.st_mtime_ns, stats.st_ctime_ns)


def _some(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield items in groups: SQLite limits the values of a query."""
    iterator = iter(items)
    while some := list(itertools.islice(iterator, _AT_ONCE)):
        yield some


def _content(size: int, _modified: int, _changed: int, total: bytes, parts: bytes) -> Content:
    sha256 = total.hex()
    # All small files have one part, which is the whole.
    return Content(size, sha256, (sha256,) if parts == total else _split(parts))


def _split(parts: bytes) -> tuple[str, ...]:
    return tuple(parts[start : start + _HASH].hex() for start in range(0, len(parts), _HASH))
