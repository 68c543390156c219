"""Store sessions on disk, then publish them in memory.

A user's request is refused when it cannot be stored. An event that has already happened (a process
ended) is published in any case, and stored as soon as possible: after a crash it would be observed
again.

`state.db.new` is under construction and unusable. `state.db.built` is complete and on disk: this or
the next start sets the old file aside and gives its name to the new one.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...control.board import Board
from ...control.settings.audit_log import COPY
from ...control.settings.settings import SettingsStore
from ...control.storage.aside import SetAside
from ...control.storage.files import sync_folder, write_file, writing
from ...control.storage.sqlite import Damaged, Database
from ...errors import Internal, StorageFailed
from ...model.sessions import Session
from ..folders.folders import SessionFolder, StateFolder
from .reconcile import Reconciler
from .store import KIND, Store

_log = logging.getLogger(__name__)


class State:
    """The state file and the folders of the sessions."""

    def __init__(self, path: Path, board: Board) -> None:
        self.path = path
        self.board = board
        self.files: dict[Path, bytes] = {}
        """Files of other components in the state folder, which are recreated with it."""
        self.controller: Mapping[str, str] = {}
        """Variables by which programs in sessions find the controller, unless it is this one's."""
        self.folders = StateFolder(path)
        self._file = path / "state.db"
        self._unsaved: set[str] = set()
        self._removed: set[str] = set()
        """Sessions that are gone, but for their rows."""
        self._trouble = ""
        self._aside = SetAside(path)
        self._left: tuple[str, ...] = ()
        """What cannot be read and was left where it is."""
        self._store: Store | None = None

    def open(self) -> Database:
        """Load the state, and finish or undo operations that a crash has interrupted.

        Raises:
            StorageFailed: the folder or the file cannot be written.
            VersionMismatch: they were written by a newer version.
        """
        self.folders.open()
        store = self._store = open_store(self._file, self.folders, self._aside)
        found = Reconciler(store, self.folders, self._aside)
        found.run()
        self._left = tuple(found.left)
        self._unsaved, self._removed = found.unsaved, found.removed
        if found.trouble:
            self.fail(found.trouble)
        self.board.show(*sorted(found.sessions.values(), key=lambda s: (s.created, s.id)))
        return store.database

    def close(self) -> None:
        """Close the file."""
        self.folders.held.close()
        if self._store:
            self._store.close()

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins."""
        trouble = tuple(filter(None, (self.folders.held.missing() or self._trouble,)))
        return self._aside.warnings() + self._left + trouble

    def folder(self, session: Session) -> SessionFolder:
        """Return the folder of a session."""
        return self.folders.session(session.id)

    def add(self, session: Session) -> None:
        """Store a new session. Raises StorageFailed or NameTaken, and then leaves nothing."""
        session_id = session.id
        self.folders.held.check()
        self.folders.make(session)
        try:
            self._open_store.add(session)
        except BaseException:
            self.folders.delete(session_id)
            self.folders.clear(session_id)
            raise
        self.board.show(session)

    def save(self, session: Session) -> None:
        """Store a session's new state, then publish it. Raises StorageFailed: nothing changed."""
        self._open_store.put(session)
        self._trouble = ""
        self._copy(session)
        self.board.show(session)

    def settle(self, session: Session) -> None:
        """Publish a session's new state, and store it now or later.

        Its copy has reserved space: on a full disk the new state is at least there.
        """
        self.keep(session)
        self.board.show(session)

    def keep(self, session: Session) -> bool:
        """Store a session's new state now or later; return whether a restart would find it."""
        try:
            self._open_store.put(session)
        except StorageFailed as error:
            self.fail(error)
            self._unsaved.add(session.id)
            return self._copy(session)
        self._trouble = ""
        self._copy(session)
        return True

    def note(self, session: Session) -> None:
        """Publish a state that is not stored, because a restart would observe it again."""
        self.board.show(session)

    def remove(self, session: Session) -> None:
        """Delete a session and its files. Raises StorageFailed: nothing changed.

        Its files go first: on a full disk the state file needs their space.
        """
        session_id = session.id
        self.folders.delete(session_id)
        self._unsaved.discard(session_id)
        self._removed.add(session_id)
        self.board.drop(session_id)
        self.retry()

    def retry(self) -> bool:
        """Store what could not be stored before; return whether everything is stored now."""
        self._recreate()
        if not (self._removed or self._unsaved):
            return True
        try:
            for session_id in sorted(self._removed):
                self._open_store.remove(session_id)
                self.folders.clear(session_id)
                self._removed.discard(session_id)
            for session_id in sorted(self._unsaved):
                session = self.board.by_id[session_id]
                self._open_store.put(session)
                self.folder(session).save(session)
                self._unsaved.discard(session_id)
        except StorageFailed as error:
            self.fail(error)
            return False
        self._trouble = ""
        return True

    def fail(self, error: StorageFailed) -> None:
        """Remember a failure to write, for the warnings, until writing succeeds."""
        if not self._trouble:
            _log.error("%s", error)
        self._trouble = f"{error.message} {error.hint}"

    def _recreate(self) -> None:
        """Recreate a removed state folder or file from memory and the open database."""
        removed = self.folders.held.removed()
        if not removed and (self._file.exists() or self.folders.held.missing()):
            return
        try:
            if removed:
                self.folders.open()
            with writing(self.path):
                for path, data in self.files.items():
                    write_file(path, data)
            self._open_store.database.restore()
        except StorageFailed as error:
            self.fail(error)
        else:
            self._trouble = ""
            _log.error("%s was removed and has been recreated; logs are lost.", self.path)
            self._unsaved.update(self.board.by_id)

    def _copy(self, session: Session) -> bool:
        """Write the session's copy, from which a damaged state file would be rebuilt."""
        try:
            self.folder(session).save(session)
        except StorageFailed as error:
            self.fail(error)
            self._unsaved.add(session.id)
            return False
        return True

    @property
    def _open_store(self) -> Store:
        if self._store is None:
            raise Internal("The state is not open.")
        return self._store


_ROWS = {
    "SELECT * FROM projects ORDER BY rowid": "INSERT INTO projects VALUES (?, ?)",
    "SELECT * FROM settings": "INSERT INTO settings VALUES (?, ?)",
    "SELECT * FROM audit ORDER BY id": "INSERT INTO audit VALUES (?, ?)",
}
"""Queries that read admins' settings from a damaged file, and statements that write them."""
_PARTS = ("", "-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite keeps for a database."""
# Only the complete file counts, and it is on disk before it is published.
_BUILDING = replace(KIND, pragmas=("journal_mode = MEMORY", "synchronous = OFF"))


def open_store(path: Path, folders: StateFolder, aside: SetAside) -> Store:
    """Open the state file, or rebuild it from its remains and all copies.

    Raises:
        StorageFailed: it cannot be read or written; a damaged file stays in place.
        VersionMismatch: it was written by a newer version.
    """
    _publish(path, folders, aside)
    problem = _missing(path)
    if not problem:
        try:
            return Store(path)
        except Damaged as error:
            problem = str(error)
    _build(path, folders, aside)
    _publish(path, folders, aside, f" ({problem})")
    return Store(path)


def _missing(path: Path) -> str:
    if not path.exists():
        return "it is missing"
    return "" if path.stat().st_size else "it is empty"


def _build(path: Path, folders: StateFolder, aside: SetAside) -> None:
    """Build the file beside the old one, from its readable rows and all copies."""
    new, built = _beside(path)
    with writing(new):
        for part in _parts(new):
            part.unlink()
    store = Store(new, _BUILDING)
    try:
        _salvage(path, store, {folder.path.name for folder in folders.all()})
        found = Reconciler(store, folders, aside)
        found.run()
        if found.trouble:
            raise found.trouble
        SettingsStore(store.database)
    finally:
        store.close()
    with writing(new):
        fd = os.open(new, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        new.rename(built)
        sync_folder(path.parent)


def _salvage(old: Path, store: Store, ids: Collection[str]) -> None:
    """Copy the readable rows of a damaged file; of sessions, only those with a folder."""
    sessions = [row for row in _read(old, "SELECT * FROM sessions") if row[0] in ids]
    _insert(store, "INSERT INTO sessions VALUES (?, ?, ?, ?)", sessions)
    for query, statement in _ROWS.items():
        _insert(store, statement, _read(old, query))


def _read(old: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query, as far as they can be read."""
    rows: list[tuple[Any, ...]] = []
    if not _missing(old):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(old)) as db:
            rows.extend(db.execute(query))
    return rows


def _insert(store: Store, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with store.database.transaction() as db:
        for row in rows:
            # A damaged file may return anything: skip rows that do not fit.
            with contextlib.suppress(sqlite3.IntegrityError, sqlite3.ProgrammingError):
                db.execute(statement, row)


def _publish(path: Path, folders: StateFolder, aside: SetAside, problem: str = "") -> None:
    """Set the old file aside and give its name to the rebuilt one, if there is one."""
    built = _beside(path)[1]
    if not built.exists():
        return
    restored = "Sessions, settings and the audit log were restored from their copies."
    if not path.with_name(COPY).exists():
        restored = (
            "Sessions and settings were restored from their copies. The audit log had no copy: "
            "only its readable entries were restored."
        )
    old = [part for part in _parts(path) if part.stat().st_size]
    if old:
        aside.move(
            old,
            f"The state file {path} is unreadable{problem}. {restored}",
            "If something is missing, stop the controller, repair the file and move it back.",
        )
    elif folders.all() or path.with_name("settings.json").exists():
        aside.note(path.name, f"The state file {path} was lost{problem}. {restored}")
    with writing(path):
        built.rename(path)
        sync_folder(path.parent)


def _beside(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}.new"), path.with_name(f"{path.name}.built")


def _parts(path: Path) -> list[Path]:
    found = (path.with_name(path.name + part) for part in _PARTS)
    return [part for part in found if part.exists()]
