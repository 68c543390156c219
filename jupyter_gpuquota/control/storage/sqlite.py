"""SQLite files with one owner: open, migrate, change in transactions, move aside if damaged.

A file is locked exclusively, so WAL needs no shared memory and also works in a home on a network
file system (sqlite.org/wal.html).
"""

from __future__ import annotations

import contextlib
import functools
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...errors import StorageFailed, VersionMismatch
from ...store.disk.cures import cure
from ...store.disk.failures import system_error
from .files import writing

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """The purpose of a file.

    `name` begins the sentences of its errors, `end` ends them. Script n of `migrations` turns
    version n into n + 1; released scripts are never changed. `pragmas` apply to every connection;
    with `checked`, the whole file and its tables are checked on opening.
    """

    name: str
    migrations: tuple[str, ...]
    pragmas: tuple[str, ...]
    end: str = "Then try again."
    checked: bool = False


class Damaged(Exception):
    """The file is not a SQLite database, or is corrupt."""


class Database:
    """One file, or a database in memory if `path` is None. `fresh` if it is new."""

    def __init__(self, path: Path | None, kind: Kind) -> None:
        """Open or make the file, and migrate it to the present version.

        Raises:
            Damaged: it is not a SQLite database, or is corrupt.
            StorageFailed: it cannot be read or written.
            VersionMismatch: a newer version of the product has written it.
        """
        self.path = path
        self.fresh = False
        self._kind = kind
        if path:
            with writing(path):
                path.touch(mode=0o600)
        with self._translated():
            self._db = self._connect()
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def rows(self, query: str, values: Any = ()) -> list[tuple[Any, ...]]:
        """Read rows. Raises StorageFailed, Damaged."""
        with self._translated():
            return self._db.execute(query, values).fetchall()

    def change(self, statements: Iterable[tuple[str, Any]]) -> None:
        """Execute all of several statements, or none. Raises StorageFailed, Damaged."""
        with self.transaction() as db:
            for statement, values in statements:
                db.execute(statement, values)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection for one transaction. Raises StorageFailed, Damaged."""
        with self._translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection for reading. Raises StorageFailed, Damaged."""
        with self._translated():
            yield self._db

    def restore(self) -> None:
        """Write the file again if it was removed while open. Raises StorageFailed."""
        if self.path is None or self.path.exists():
            return
        new = self.path.with_name(f"{self.path.name}.new")
        with self._translated():
            new.unlink(missing_ok=True)
            copy = sqlite3.connect(new)
            try:
                self._db.backup(copy)
            finally:
                copy.close()
            with writing(new):
                new.chmod(0o600)
                new.rename(self.path)
            old, self._db = self._db, self._connect()
            old.close()
            self._open()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _connect(self) -> sqlite3.Connection:
        """Return a connection; worker threads use it in turn, one at a time."""
        return sqlite3.connect(
            self.path or ":memory:", isolation_level=None, check_same_thread=False
        )

    def _open(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        self._check_version(version)
        for pragma in self._kind.pragmas:
            self._db.execute(f"PRAGMA {pragma}")
        if self._kind.checked:
            (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise Damaged(verdict)
        self._migrate(version)
        self._check_tables()

    def _check_version(self, version: int) -> None:
        """Raise VersionMismatch for a file of a newer version, before anything changes it."""
        known = len(self._kind.migrations)
        if version > known:
            raise VersionMismatch(
                f"{self.path} was written by a newer version of jupyter_gpuquota "
                f"(its format is {version}, this version knows {known}).",
                hint="Upgrade jupyter_gpuquota in this environment, or use another state folder.",
            )

    def _migrate(self, version: int) -> None:
        self.fresh = version == 0
        scripts = self._kind.migrations[version:]
        for number, script in enumerate(scripts, start=version + 1):
            self._db.executescript(
                f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {number}; COMMIT;"
            )

    def _check_tables(self) -> None:
        """Raise Damaged for a file that lacks a table or a column that its migrations make."""
        if self._kind.checked and (missing := _columns(self._kind) - _columns_of(self._db)):
            table, column = min(missing)
            raise Damaged(f"its table {table} is missing, or has no column {column}")

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            known = system_error(error, self.path) if self.path else None
            why = known.strerror if known else error
            what = cure(known or OSError())
            raise StorageFailed(
                f"{self._kind.name} {self.path} cannot be read or written: {why}.",
                hint=f"{what}. {self._kind.end}",
            ) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a fault of ours, not of the file
                raise
            raise Damaged(str(error)) from error


@functools.cache
def _columns(kind: Kind) -> frozenset[tuple[str, str]]:
    """Return the tables and columns of a kind of file."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript(" ".join(kind.migrations))
        return _columns_of(db)


def _columns_of(db: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    query = "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
    return frozenset(db.execute(query + " WHERE m.type = 'table'").fetchall())


def move_aside(path: Path) -> Path:
    """Rename a damaged file and its WAL files. Raises StorageFailed."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    new = path.with_name(f"{path.name}.damaged-{stamp}")
    with writing(path):
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(new.with_name(new.name + suffix))
    _log.error("%s is damaged: it was moved to %s.", path, new)
    return new


def damaged_files(path: Path) -> list[Path]:
    """Return the damaged files that were moved aside and not removed yet."""
    return sorted(path.parent.glob(f"{path.name}.damaged-*Z"))
