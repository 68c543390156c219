"""The state file: one SQLite database, one row a session, and what admins have set.

Every change is one transaction that is on disk before anything is done about it: WAL, so that a
reader never waits, with `synchronous=FULL`, because in WAL mode NORMAL may lose the last
transactions when power fails (sqlite.org/wal.html), and there are only a few a minute. One
controller owns the file: locked for it alone, WAL needs no shared memory and works in a home on
a network file system, too.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from ..core.names import check_free
from ..errors import StorageFailed, VersionMismatch
from ..model.sessions import Session
from .folders import read_session, writing

_log = logging.getLogger(__name__)

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        name TEXT NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (project, name)
    ) STRICT;
    """,
    """
    CREATE TABLE projects (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE settings (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL) STRICT;
    """,
)
"""What turns version n into n + 1; never changed once released, only added to."""


class Damaged(Exception):
    """Say that the state file is not a state file any more."""


class Store:
    """Keep sessions. What writes raises StorageFailed when the disk or its rights forbid it.

    `fresh` tells that the file was made just now: what folders know has to be put into it.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the file, and bring it to the present version.

        Raises:
            Damaged: it is no SQLite database, or a broken one.
            VersionMismatch: a newer version of the product has written it.
        """
        self.path = path
        with writing(path):
            path.touch(mode=0o600)
        with self._translated():
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self.fresh = False
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def load(self) -> list[Session]:
        """Read all sessions. Raises Damaged for one that cannot be read."""
        with self._translated():
            rows = self._db.execute("SELECT body FROM sessions").fetchall()
        try:
            return [read_session(body) for (body,) in rows]
        except msgspec.DecodeError as error:
            raise Damaged(str(error)) from error

    def add(self, session: Session) -> None:
        """Keep a new session. Raises NameTaken if its project has the name already."""
        with self._writing():
            try:
                self._db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", _row(session))
            except sqlite3.IntegrityError:
                check_free(session.spec, self.load())
                raise

    def put(self, session: Session) -> None:
        """Keep a session in place of the one with its id."""
        body = msgspec.json.encode(session)
        with self._writing():
            self._db.execute("UPDATE sessions SET body = ? WHERE id = ?", (body, session.id))

    def remove(self, session_id: str) -> None:
        """Forget a session."""
        with self._writing():
            self._db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read rows of the tables of what admins set. Raises StorageFailed, Damaged."""
        with self._translated():
            return self._db.execute(query, values).fetchall()

    def change(self, statements: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Do all of several statements, or none."""
        with self._writing():
            for statement, values in statements:
                self._db.execute(statement, values)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _open(self) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        (verdict,) = self._db.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise Damaged(verdict)
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        self.fresh = version == 0
        if version > len(MIGRATIONS):
            raise VersionMismatch(
                f"{self.path} was written by a newer version of jupyter_gpuquota "
                f"(its format is {version}, this version knows {len(MIGRATIONS)}).",
                hint="Upgrade jupyter_gpuquota in this environment, or use another state folder.",
            )
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            self._db.executescript(
                f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {number}; COMMIT;"
            )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with self._translated(), self._transaction():
                yield
        except Damaged as error:
            raise StorageFailed(
                f"The state file {self.path} is damaged: {error}.",
                hint="Restart the controller: it moves the file aside and finds all sessions.",
            ) from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StorageFailed(
                f"The state file {self.path} cannot be written: {error}.",
                hint="Free some space on its disk, or give the account the right to write there; "
                "then try again.",
            ) from error
        except sqlite3.DatabaseError as error:
            raise Damaged(str(error)) from error


def open_store(path: Path) -> Store:
    """Open the state file; move a damaged one aside and begin a fresh one."""
    try:
        store = Store(path)
        try:
            store.load()
        except Damaged:
            store.close()
            raise
    except Damaged as error:
        _log.error("The state file %s is damaged (%s); it is moved aside.", path, error)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(path.with_name(f"{path.name}.damaged-{stamp}{suffix}"))
        return Store(path)
    return store


def damaged_files(path: Path) -> list[Path]:
    """List the damaged state files that were moved aside and not removed yet."""
    found = path.parent.glob(f"{path.name}.damaged-*Z")
    return sorted(found)


def _row(session: Session) -> tuple[str, str, str, bytes]:
    spec = session.spec
    return (session.id, spec.project, spec.name, msgspec.json.encode(session))
