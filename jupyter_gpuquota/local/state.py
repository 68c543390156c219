"""Keep sessions on disk and show them in memory, in this order.

What a user asks is refused when it cannot be written down. What has happened anyway (a process
ended) is shown even then, and written as soon as that is possible again: after a crash it would
be found out anew.
"""

from __future__ import annotations

import logging
from pathlib import Path

from ..control.board import Board
from ..control.sqlite import Database, damaged_files
from ..errors import Internal, NameTaken, StorageFailed
from ..model.sessions import Session
from .folders import SessionFolder, StateFolder
from .store import Store, open_store

_log = logging.getLogger(__name__)


class State:
    """Own the state file and the folders of the sessions."""

    def __init__(self, path: Path, board: Board) -> None:
        self.path = path
        self.board = board
        self._folder = StateFolder(path)
        self._file = path / "state.db"
        self._unsaved: set[str] = set()
        self._trouble = ""
        self._unreadable: tuple[str, ...] = ()
        self._store: Store | None = None

    def open(self) -> Database:
        """Read what is there, and finish or undo what a crash has interrupted.

        Raises:
            StorageFailed: the folder or the file cannot be written.
            VersionMismatch: a newer version has written them.
        """
        self._folder.open()
        store = self._store = open_store(self._file)
        if store.fresh:
            self._rebuild(store)
        sessions = {session.id: session for session in store.load()}
        for session_id in self._folder.buried():
            if sessions.pop(session_id, None):
                store.remove(session_id)
            self._folder.clear(session_id)
        self._sweep(sessions)
        found = sorted(sessions.values(), key=lambda s: (s.created, s.id))
        self.board.show(*found)
        return store.database

    def close(self) -> None:
        """Close the file."""
        if self._store:
            self._store.close()

    def warnings(self) -> tuple[str, ...]:
        """Say what an admin should hear of."""
        damaged = tuple(
            f"The state file was damaged and moved to {path}; sessions were found again from "
            "their folders. Look at it, then remove it."
            for path in damaged_files(self._file)
        )
        return damaged + self._unreadable + ((self._trouble,) if self._trouble else ())

    def folder(self, session: Session) -> SessionFolder:
        """Return the folder of a session."""
        return self._folder.session(session.id)

    def add(self, session: Session) -> None:
        """Keep a new session. Raises StorageFailed or NameTaken, and then nothing is left."""
        session_id = session.id
        self._folder.make(session)
        try:
            self._kept.add(session)
        except BaseException:
            self._folder.bury(session_id)
            self._folder.clear(session_id)
            raise
        self.board.show(session)

    def save(self, session: Session) -> None:
        """Keep a session's new state, then show it. Raises StorageFailed, and changes nothing."""
        self._kept.put(session)
        self._trouble = ""
        self._copy(session)
        self.board.show(session)

    def settle(self, session: Session) -> None:
        """Show what has happened, and keep it now or later."""
        try:
            self.save(session)
        except StorageFailed as error:
            self.fail(error)
            self._unsaved.add(session.id)
            self.board.show(session)

    def note(self, session: Session) -> None:
        """Show what is found out anew after a restart, and so need not be kept."""
        self.board.show(session)

    def remove(self, session: Session) -> None:
        """Forget a session and its files. Raises StorageFailed, and then nothing has changed."""
        session_id = session.id
        self._folder.bury(session_id)
        try:
            self._kept.remove(session_id)
        except StorageFailed:
            self._folder.unbury(session_id)
            raise
        self._unsaved.discard(session_id)
        self.board.drop(session_id)
        self._folder.clear(session_id)

    def retry(self) -> bool:
        """Keep what could not be kept before; tell whether all is kept now."""
        for session_id in sorted(self._unsaved):
            session = self.board.by_id[session_id]
            try:
                self._kept.put(session)
                self.folder(session).save(session)
            except StorageFailed as error:
                self.fail(error)
                return False
            self._unsaved.discard(session_id)
            self._trouble = ""
        return True

    def fail(self, error: StorageFailed) -> None:
        """Remember that writing fails, for the warnings, until it succeeds."""
        if not self._trouble:
            _log.error("%s", error)
        self._trouble = f"{error.message} {error.hint}"

    def _copy(self, session: Session) -> None:
        """Write the copy that a damaged state file would be rebuilt from."""
        try:
            self.folder(session).save(session)
        except StorageFailed as error:
            self.fail(error)
            self._unsaved.add(session.id)

    def _rebuild(self, store: Store) -> None:
        """Fill a new state file from the sessions' own copies."""
        for folder in self._folder.all():
            session = folder.load()
            try:
                if session and session.id == folder.path.name:
                    store.add(session)
                    _log.warning("Found the session %s again in its folder.", session.id)
                    continue
            except NameTaken as error:
                _log.warning("%s is left alone: %s", folder.path, error)
            if folder.kept():
                text = f"{folder.path} belongs to a running session, but cannot be read."
                self._unreadable += (text,)

    @property
    def _kept(self) -> Store:
        if self._store is None:
            raise Internal("The state is not open.")
        return self._store

    def _sweep(self, sessions: dict[str, Session]) -> None:
        """Remove folders that no session knows, unless something runs in them."""
        for folder in self._folder.all():
            if folder.path.name not in sessions and not folder.kept():
                _log.info("Removing %s, which belongs to no session.", folder.path)
                self._folder.bury(folder.path.name)
                self._folder.clear(folder.path.name)
