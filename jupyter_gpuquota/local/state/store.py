"""The state file: one SQLite database with one row per session and the settings of admins.

Every change is one transaction that is on disk before it takes effect: WAL, so that a
reader never waits, with `synchronous=FULL`, because in WAL mode NORMAL may lose the last
transactions when power fails (sqlite.org/wal.html), and there are only a few per minute.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ...control.settings import stored
from ...control.storage.records import Record, read_record
from ...control.storage.sqlite import Damaged, Database, Kind
from ...core.names import check_free
from ...errors import NameTaken, StorageFailed
from ...model.sessions import Session
from ..folders.folders import read_session

_SESSIONS = """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        name TEXT NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (project, name)
    ) STRICT;
"""
KIND = Kind(
    name="The state file",
    migrations=(_SESSIONS, stored.TABLES),
    pragmas=("journal_mode = WAL", "synchronous = FULL"),
    checked=True,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A session's row: its `body` as stored, and the record decoded from it."""

    body: bytes
    record: Record[Session]


class Store:
    """The sessions in the state file."""

    def __init__(self, path: Path, kind: Kind = KIND) -> None:
        """Open or create the file. Raises Damaged, StorageFailed, VersionMismatch."""
        self.database = Database(path, kind)

    def read(self) -> dict[str, Row]:
        """Read all rows, including unreadable ones."""
        rows = self.database.rows("SELECT id, body FROM sessions")
        return {key: Row(body, _read(key, body)) for key, body in rows}

    def load(self) -> list[Session]:
        """Read all readable sessions."""
        return [row.record.value for row in self.read().values() if row.record.value]

    def add(self, session: Session) -> None:
        """Store a new session. Raises NameTaken if its project has the name already."""
        with self._writing() as db:
            try:
                db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", _values(session))
            except sqlite3.IntegrityError as error:
                check_free(session.spec, self.load())
                raise NameTaken(
                    f"{session.spec.project} already has a session named {session.spec.name}, "
                    "which this version cannot read. Choose another name."
                ) from error

    def put(self, session: Session) -> None:
        """Store a session, replacing the one with its id."""
        with self._writing() as db:
            db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET body = excluded.body",
                _values(session),
            )

    def remove(self, session_id: str) -> None:
        """Delete a session."""
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with self.database.transaction() as db:
                yield db
        except Damaged as error:
            raise StorageFailed(
                f"The state file {self.database.path} is damaged: {error}.",
                hint="Restart the controller: it rebuilds the file from copies.",
            ) from error


def _values(session: Session) -> tuple[Any, ...]:
    return session.id, session.spec.project, session.spec.name, msgspec.json.encode(session)


def _read(session_id: str, body: bytes) -> Record[Session]:
    found = read_record(body, read_session)
    if found.value and found.value.id != session_id:
        return Record(problem=f"it belongs to the session {found.value.id}")
    return found
