"""Open the state file; rebuild it if it is lost or damaged.

`state.db.new` is under construction and unusable. `state.db.built` is complete and on disk: this or
the next start sets the old file aside and gives its name to the new one.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...control.settings.audit_log import COPY
from ...control.settings.settings import SettingsStore
from ...control.storage.aside import SetAside
from ...control.storage.files import sync_folder, writing
from ...control.storage.sqlite import Damaged
from ..folders.folders import StateFolder
from .reconcile import Reconciler
from .store import KIND, Store

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
