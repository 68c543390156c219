"""SQLite files with one owner: opened, migrated, changed in transactions, moved aside if damaged.

A file is locked for its owner alone: then WAL needs no shared memory and works in a home on a
network file system, too (sqlite.org/wal.html).
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import StorageFailed, VersionMismatch
from .files import writing

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is for.

    `name` begins the sentences of its errors, `hint` ends them. Script n of `migrations` turns
    version n into n + 1: never changed once released, only added to. `pragmas` hold for every
    connection; with `checked`, the whole file is checked when it is opened.
    """

    name: str
    migrations: tuple[str, ...]
    pragmas: tuple[str, ...]
    hint: str = "Free some space on its disk, or give the account the right to write there."
    checked: bool = False


class Damaged(Exception):
    """The file is not a SQLite database, or a broken one."""


class Database:
    """One file, or a database in memory where `path` is None. `fresh` if it was made just now."""

    def __init__(self, path: Path | None, kind: Kind) -> None:
        """Open or make the file, and bring it to the present version.

        Raises:
            Damaged: it is no SQLite database, or a broken one.
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
            # Worker threads take turns with it; each file has one at a time.
            self._db = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False
            )
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
        """Do all of several statements, or none. Raises StorageFailed, Damaged."""
        with self.transaction() as db:
            for statement, values in statements:
                db.execute(statement, values)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection to do all of it or nothing. Raises StorageFailed, Damaged."""
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

    def close(self) -> None:
        """Close the file."""
        self._db.close()

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

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StorageFailed(
                f"{self._kind.name} {self.path} cannot be read or written: {error}.",
                hint=self._kind.hint,
            ) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a fault of ours, not of the file
                raise
            raise Damaged(str(error)) from error


def move_aside(path: Path) -> Path:
    """Rename a damaged file, with what SQLite keeps beside it. Raises StorageFailed."""
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
    """List the damaged files that were moved aside and not removed yet."""
    return sorted(path.parent.glob(f"{path.name}.damaged-*Z"))
