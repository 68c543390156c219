"""Store sessions on disk, then publish them in memory.

A user's request is refused when it cannot be stored. An event that has already happened (a process
ended) is published in any case, and stored as soon as possible: after a crash it would be observed
again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from ...control.board import Board
from ...control.storage.aside import SetAside
from ...control.storage.files import write_file, writing
from ...control.storage.sqlite import Database
from ...errors import Internal, StorageFailed
from ...model.sessions import Session
from ..folders.folders import SessionFolder, StateFolder
from .rebuild import open_store
from .reconcile import Reconciler
from .store import Store

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
