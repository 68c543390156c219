"""What admins have set, as a whole, and where it is kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..core.policy import NO_POLICY
from ..core.projects import change_text
from ..model.base import Model
from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SetBy
from ..model.quota import USUAL_RULES, Project, Rules
from .files import write_file
from .sqlite import Database

AUDITED = 10_000
"""Entries of the audit log that are kept."""

TABLES = """
    CREATE TABLE projects (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE settings (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT;
    CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL) STRICT;
"""
"""What a database needs to keep settings: one of its migrations."""

_COPY = "settings.json"
Row = tuple[str, tuple[Any, ...]]
T = TypeVar("T")


class Settings(Model, frozen=True, kw_only=True):
    """Everything that admins set. `source` says where, `problem` why a file is not followed."""

    projects: tuple[Project, ...] = ()
    rules: Rules = USUAL_RULES
    groups: Groups = Groups()
    policy: Policy = NO_POLICY
    source: SetBy = "config"
    problem: str = ""


class Kept(Model, frozen=True, kw_only=True):
    """What is kept of the settings: what is None was never changed by an admin.

    `seed` is what the configuration said when projects were first changed, None
    before. `latest` counts the revisions that were given out.
    """

    projects: tuple[Project, ...] | None = None
    rules: Rules | None = None
    groups: Groups | None = None
    policy: Policy | None = None
    seed: tuple[Project, ...] | None = None
    latest: int = 1


@dataclass(frozen=True, slots=True)
class Noted:
    """What the audit log says of a change: in words, and what was before and after."""

    what: str
    before: Any = None
    after: Any = None


class SettingsStore:
    """Settings and the audit log in a database, and a copy of the settings beside its file.

    The copy is what they are found again from when the file was damaged.
    """

    def __init__(self, store: Database) -> None:
        """Read what is kept. Raises StorageFailed."""
        self._store = store
        self._copy = store.path.with_name(_COPY) if store.path else None
        self.problem = ""
        self.kept = self._read()
        if store.fresh and self._copy and (found := _load_copy(self._copy)):
            what = "found the settings again after the state file was lost"
            self.change(found, "system", Noted(what))

    def change(self, kept: Kept, who: str, *noted: Noted) -> None:
        """Keep other settings, and note who changed what. Raises StorageFailed.

        Each note takes a revision: the first is the one after the newest that was given out.
        """
        first = max(kept.latest, self.kept.latest + 1)
        latest = first + len(noted) - 1
        kept = msgspec.structs.replace(kept, latest=latest)
        rows: list[Row] = [
            *self._project_rows(kept),
            (
                "INSERT OR REPLACE INTO settings VALUES ('kept', ?)",
                (msgspec.json.encode(msgspec.structs.replace(kept, projects=None)),),
            ),
            *(_audit_row(first + i, who, note) for i, note in enumerate(noted)),
            ("DELETE FROM audit WHERE id <= ?", (latest - AUDITED,)),
        ]
        self._store.change(rows)
        self.kept = kept
        self.problem = _write_copy(self._copy, kept) if self._copy else ""

    def coming(self, number: int = 1) -> str:
        """Return the revision that a note of the next change takes: the first, the second, …."""
        return str(self.kept.latest + number)

    def audit(self) -> tuple[AuditEntry, ...]:
        """List who changed what, newest first."""
        rows = self._store.rows("SELECT body FROM audit ORDER BY id DESC")
        return tuple(msgspec.json.decode(body, type=AuditEntry) for (body,) in rows)

    def last_change(self, revision: str) -> str:
        """Return who made the change that a revision stands for; empty if it is not known."""
        rows = self._store.rows("SELECT body FROM audit WHERE id = ?", (revision,))
        found = [msgspec.json.decode(body, type=AuditEntry) for (body,) in rows]
        return change_text(found[0]) if found else ""

    def last_deletion(self, name: str) -> str:
        """Return who deleted a project; empty if it is not known."""
        what = f"deleted project {name}"
        entry = next((e for e in self.audit() if e.what.startswith(what)), None)
        return change_text(entry) if entry else ""

    def _read(self) -> Kept:
        bodies = self._store.rows("SELECT body FROM settings WHERE name = 'kept'")
        rows = self._store.rows("SELECT body FROM projects ORDER BY rowid")
        try:
            if not bodies:
                return Kept()
            kept = _decode(bodies[0][0], Kept)
            projects = tuple(_decode(body, Project) for (body,) in rows)
        except msgspec.DecodeError as error:
            self.problem = f"What admins have set cannot be read ({error}); see {self._copy}."
            return (self._copy and _load_copy(self._copy)) or Kept()
        return msgspec.structs.replace(kept, projects=None if kept.seed is None else projects)

    def _project_rows(self, kept: Kept) -> Iterable[Row]:
        """Bring the table of projects into line: a row each, in the order of their making."""
        old = {project.name: project for project in self.kept.projects or ()}
        new = {project.name: project for project in kept.projects or ()}
        yield from (("DELETE FROM projects WHERE name = ?", (n,)) for n in old if n not in new)
        for name, project in new.items():
            if old.get(name) != project:
                statement = (
                    "INSERT INTO projects VALUES (?, ?) "
                    "ON CONFLICT (name) DO UPDATE SET body = excluded.body"
                )
                yield statement, (name, msgspec.json.encode(project))


def _audit_row(number: int, who: str, note: Noted) -> Row:
    entry = AuditEntry(
        id=str(number),
        at=datetime.now(UTC),
        who=who,
        what=note.what,
        before=_json(note.before),
        after=_json(note.after),
    )
    return "INSERT INTO audit VALUES (?, ?)", (number, msgspec.json.encode(entry))


def _json(value: Any) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()


def _decode(body: bytes, kind: type[T]) -> T:
    """Return what was kept. Raises msgspec.DecodeError."""
    return msgspec.convert(_revised(msgspec.json.decode(body)), kind)


def _revised(kept: Any) -> Any:
    """Return what was kept with revisions that are text: in an earlier format they are numbers."""
    if isinstance(kept, list):
        return [_revised(part) for part in kept]
    if not isinstance(kept, dict):
        return kept
    found = {name: _revised(part) for name, part in kept.items()}
    return found | ({"revision": str(kept["revision"])} if "revision" in kept else {})


def _write_copy(path: Path, kept: Kept) -> str:
    """Write the copy, and return what is wrong if that fails."""
    try:
        write_file(path, msgspec.json.encode(kept))
    except OSError as error:
        said = error.strerror or error
        return f"The copy {path} of what admins have set cannot be written: {said}."
    return ""


def _load_copy(path: Path) -> Kept | None:
    try:
        return _decode(path.read_bytes(), Kept)
    except (OSError, msgspec.DecodeError):
        return None  # there is none, or none that helps: the configuration counts again
