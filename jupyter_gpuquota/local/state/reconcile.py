"""Reconcile the rows of the state file with the sessions' folders: the newer of the two wins.

This happens at every start. It restores sessions when the state file was lost, adopts a folder
that was put back, and sets unreadable records aside. It may be interrupted at any moment: the next
start continues.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from ...control.storage.aside import SetAside
from ...control.storage.records import Record
from ...errors import StorageFailed
from ...model.sessions import Session
from ..folders.folders import SessionFolder, StateFolder
from ..processes import processes
from .store import Row, Store

_NO_ROW = Row(b"", Record())


class Reconciler:
    """Reconciles rows and folders, and holds the result.

    `sessions` are all sessions by id; `left` are warnings about unreadable records left in place.
    Because of the error `trouble`, sessions in `unsaved` could not be written, and the rows of
    those in `removed` could not be deleted.
    """

    def __init__(self, store: Store, folders: StateFolder, aside: SetAside) -> None:
        self.sessions: dict[str, Session] = {}
        self.unsaved: set[str] = set()
        self.removed: set[str] = set()
        self.left: list[str] = []
        self.trouble: StorageFailed | None = None
        self._store = store
        self._folders = folders
        self._aside = aside

    def run(self) -> None:
        """Reconcile rows and folders. Raises StorageFailed, Damaged."""
        self._finish_deletions()
        rows = {i: row for i, row in self._store.read().items() if i not in self.removed}
        self.sessions = {i: row.record.value for i, row in rows.items() if row.record.value}
        for path in self._folders.unknown_entries():
            self._move(path, f"{path} is not a session's folder.", "No session needs it.")
        folders = {folder.path.name: folder for folder in self._folders.all()}
        for session_id, folder in folders.items():
            self._match(session_id, folder, rows.get(session_id, _NO_ROW))
        for session_id in rows.keys() - folders.keys():
            if rows[session_id].record.problem:
                self._without_copy(session_id, rows[session_id], "it has no copy")

    def _finish_deletions(self) -> None:
        for session_id in self._folders.deleted():
            self.removed.add(session_id)
            with self._trying():
                self._store.remove(session_id)
                self._folders.clear(session_id)
                self.removed.discard(session_id)

    def _match(self, session_id: str, folder: SessionFolder, row: Row) -> None:
        copy = folder.load()
        if copy.value and copy.value.id != session_id:
            copy = Record(problem=f"its session.json is that of {copy.value.id}")
        if row.record.value:
            self._compare(folder, row.record.value, copy)
        elif copy.value:
            self._adopt(folder, copy.value, row)
        elif row.record.newer or copy.newer:
            self.left.append(
                f"The session {session_id} was written by a newer version of jupyter_gpuquota. It "
                f"stays in {folder.path}, but is not listed, and its GPUs are not counted. Upgrade "
                "to see it."
            )
        elif found := _process_of(folder):
            self.left.append(
                f"{folder.path} belongs to a running session ({found}), but is unreadable: "
                f"{copy.problem or 'session.json is missing'}. Its GPUs are not counted. Repair "
                "session.json and restart the controller, or end the process."
            )
        else:
            problem = copy.problem or "session.json is missing"
            if row.record.problem:
                self._without_copy(session_id, row, problem)
            self._set_folder_aside(folder, problem)

    def _compare(self, folder: SessionFolder, session: Session, copy: Record[Session]) -> None:
        """Write the newer of a row and its copy to both."""
        if copy.problem:
            self._move(
                folder.copy,
                f"The copy {folder.copy} of a session is unreadable: {copy.problem}.",
                "It was rewritten.",
            )
        if copy.value and _state_of(copy.value) > _state_of(session):
            self._put(copy.value)
        elif copy.value != session:
            with self._trying():
                folder.save(session)

    def _adopt(self, folder: SessionFolder, session: Session, row: Row) -> None:
        """Adopt a session that only has a folder."""
        spec = session.spec
        others = (s for s in self.sessions.values() if s.id != session.id)
        other = next(
            (s for s in others if (s.spec.project, s.spec.name) == (spec.project, spec.name)), None
        )
        if other:
            problem = f"{spec.project} has another session named {spec.name}, {other.id}"
            found = _process_of(folder)
            if found:
                self.left.append(f"{folder.path} is not listed, but running ({found}): {problem}.")
            else:
                self._set_folder_aside(folder, problem)
            return
        if row.record.problem:
            self._keep_row(session.id, row, "It was restored from its folder.")
        self._put(session)

    def _put(self, session: Session) -> None:
        self.sessions[session.id] = session
        try:
            self._store.put(session)
        except StorageFailed as error:
            self.trouble = error
            self.unsaved.add(session.id)

    def _without_copy(self, session_id: str, row: Row, problem: str) -> None:
        """Set aside an unreadable row without a readable copy."""
        if row.record.newer:
            self.left.append(
                f"The session {session_id} in the state file was written by a newer version of "
                f"jupyter_gpuquota, and {problem}. It stays, but is not listed. Upgrade to see it."
            )
            return
        self._keep_row(
            session_id,
            row,
            f"To restore it, repair the file, move it to {self._folders.sessions / session_id}/"
            "session.json and restart the controller.",
        )

    def _keep_row(self, session_id: str, row: Row, back: str) -> None:
        what = f"The session {session_id} in the state file is unreadable"
        with self._trying():
            text = f"{what}: {row.record.problem}."
            self._aside.keep(f"{session_id}.json", row.body, text, back)
            self._store.remove(session_id)

    def _set_folder_aside(self, folder: SessionFolder, problem: str) -> None:
        with contextlib.suppress(OSError):
            folder.path.rmdir()  # only if it is empty
            return
        self._move(
            folder.path,
            f"The session in {folder.path} cannot be listed: {problem}.",
            f"To restore it, repair its session.json, move the folder to {folder.path} and restart "
            "the controller.",
        )

    def _move(self, path: Path, what: str, back: str) -> None:
        try:
            self._aside.move([path], what, back)
        except StorageFailed as error:
            self.left.append(f"{what} It could not be set aside: {error.message}")

    @contextlib.contextmanager
    def _trying(self) -> Iterator[None]:
        """Remember a failure to write; the next start tries again."""
        try:
            yield
        except StorageFailed as error:
            self.trouble = error


def _state_of(session: Session) -> tuple[int, datetime]:
    """Return a key that grows with every transition of a session."""
    return session.run, session.since


def _process_of(folder: SessionFolder) -> str:
    """Describe the living process of a folder; empty for none."""
    leader = folder.last_leader()
    if leader and processes.alive(leader):
        return f"process {leader.pid}"
    return "its shim is alive" if folder.shim_lives() else ""
