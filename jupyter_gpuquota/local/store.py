"""The state file: one SQLite database, one row a session, and what admins have set.

Every change is one transaction that is on disk before anything is done about it: WAL, so that a
reader never waits, with `synchronous=FULL`, because in WAL mode NORMAL may lose the last
transactions when power fails (sqlite.org/wal.html), and there are only a few a minute.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..control import settings
from ..control.sqlite import Damaged, Database, Kind, move_aside
from ..core.names import check_free
from ..errors import StorageFailed
from ..model.sessions import Session

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
    migrations=(_SESSIONS, settings.TABLES),
    pragmas=("journal_mode = WAL", "synchronous = FULL"),
    hint="Free some space on its disk, or give the account the right to write there; "
    "then try again.",
    checked=True,
)


class Store:
    """Sessions in the state file.

    `fresh` if the file was made just now: what folders know has to be put into it.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises Damaged, StorageFailed, VersionMismatch."""
        self.database = Database(path, KIND)
        self.fresh = self.database.fresh

    def load(self) -> list[Session]:
        """Read all sessions. Raises Damaged for one that cannot be read."""
        rows = self.database.rows("SELECT body FROM sessions")
        try:
            return [read_session(body) for (body,) in rows]
        except msgspec.DecodeError as error:
            raise Damaged(str(error)) from error

    def add(self, session: Session) -> None:
        """Keep a new session. Raises NameTaken if its project has the name already."""
        spec = session.spec
        row = (session.id, spec.project, spec.name, msgspec.json.encode(session))
        with self._writing() as db:
            try:
                db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", row)
            except sqlite3.IntegrityError:
                check_free(spec, self.load())
                raise

    def put(self, session: Session) -> None:
        """Keep a session in place of the one with its id."""
        body = msgspec.json.encode(session)
        with self._writing() as db:
            db.execute("UPDATE sessions SET body = ? WHERE id = ?", (body, session.id))

    def remove(self, session_id: str) -> None:
        """Forget a session."""
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
                hint="Restart the controller: it moves the file aside and finds all sessions.",
            ) from error


def open_store(path: Path) -> Store:
    """Open the state file; move a damaged one aside and begin a fresh one."""
    try:
        store = Store(path)
        try:
            store.load()
        except Damaged:
            store.close()
            raise
    except Damaged:
        move_aside(path)
        return Store(path)
    return store


def read_session(data: bytes) -> Session:
    """Decode a session as it was kept. Raises msgspec.DecodeError.

    In an earlier format its run stood beside it, and its revision was a number.
    """
    kept = msgspec.json.decode(data)
    if isinstance(kept, dict) and isinstance(kept.get("session"), dict):
        kept = {**kept["session"], "run": kept.get("run", 0)}
    if isinstance(kept, dict):
        kept = {**kept, "revision": str(kept.get("revision", ""))}
    return msgspec.convert(kept, Session)
