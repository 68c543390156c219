"""The settings of administrators as a whole, and their storage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from ...core.idle.policy import NO_POLICY, Ruling, rule_for, subject_of
from ...core.projects import change_text
from ...errors import VersionMismatch
from ...model.datasets.settings import DataSettings
from ...model.policy import Policy
from ...model.projects import AuditEntry, Groups, SetBy
from ...model.quota import USUAL_RULES, Department, Project, Rules
from ...model.sessions import Session
from ...model.struct import Message, Model
from ...model.templates import Template
from ...model.volumes.volumes import SharedFolder
from ..storage.aside import SetAside
from ..storage.files import write_file
from ..storage.records import Record
from ..storage.sqlite import Database
from .audit_log import AuditLog, Row, audit_row, drop_older
from .stored import Rows, StoredSettings, all_rows, read_copy, read_rows, settings_row

_COPY = "settings.json"
_BACK = (
    "Settings that could not be read were reset to the configuration's. To restore them, stop "
    "the controller, repair the file and move it to settings.json before you change any setting."
)


class Settings(Model, frozen=True, kw_only=True):
    """All settings of administrators; `source` is their origin, `problem` why a file is ignored.

    `templates` are those of every account, too. `departments` are those of an engine that has them.
    """

    projects: tuple[Project, ...] = ()
    departments: tuple[Department, ...] = ()
    rules: Rules = USUAL_RULES
    groups: Groups = Groups()
    policy: Policy = NO_POLICY
    data: DataSettings = DataSettings()
    volumes: tuple[SharedFolder, ...] = ()
    templates: tuple[Template, ...] = ()
    source: SetBy = "config"
    problem: str = ""

    def ruling(self, session: Session, now: datetime) -> Ruling:
        """Return what the policy means for a session at a time."""
        project = next((p for p in self.projects if p.name == session.spec.project), None)
        return rule_for(self.policy, subject_of(session), project, now)


@dataclass(frozen=True, slots=True)
class AuditNote:
    """An entry for the audit log: a change in words, and the values before and after.

    It has the present time unless it is of another.
    """

    what: str
    before: Any = None
    after: Any = None
    sentence: Message | None = None
    at: datetime | None = None


class SettingsStore:
    """Settings and the audit log in a database, and copies of both beside its file.

    The newer one counts: settings survive the loss of the database, and a restored copy takes
    effect at the next start.
    """

    def __init__(self, store: Database) -> None:
        """Read the stored settings. Raises StorageFailed, VersionMismatch."""
        self._store = store
        self._aside = SetAside(store.path.parent) if store.path else None
        self._audit = AuditLog(store, self._aside)
        self._copy = store.path.with_name(_COPY) if store.path else None
        self._copied: StoredSettings | None = None
        self._trouble = ""
        self.stored = self._restore()

    def change(self, stored: StoredSettings, who: str, *notes: AuditNote) -> None:
        """Store changed settings and their audit entries. Raises StorageFailed.

        Each entry takes a revision, beginning with the one after the newest.
        """
        first = max(stored.latest, self.stored.latest + 1)
        latest = first + len(notes) - 1
        stored = msgspec.structs.replace(stored, latest=latest)
        rows: list[Row] = [
            *self._project_rows(stored),
            settings_row(stored),
            *(audit_row(_entry(first + i, who, note)) for i, note in enumerate(notes)),
            drop_older(latest),
        ]
        self._store.change(rows)
        self.stored = stored
        self.copy()

    def note_once(self, note: AuditNote) -> None:
        """Add what the system did, unless this entry of its time is there. Raises StorageFailed."""
        if all((entry.at, entry.what) != (note.at, note.what) for entry in self.audit()):
            self.change(self.stored, "system", note)

    def copy(self) -> None:
        """Update the copies; if that fails, `problem` says so."""
        try:
            if self._copy and (self._copied != self.stored or self._removed):
                write_file(self._copy, msgspec.json.encode(self.stored))
                self._copied = self.stored
            self._audit.copy()
        except OSError as error:
            said = error.strerror or error
            self._trouble = (
                f"The copies {self._copy} and audit.ndjson of the settings cannot be written: "
                f"{said}."
            )
        else:
            self._trouble = ""

    @property
    def problem(self) -> str:
        """A warning for administrators; empty for none."""
        return " ".join(filter(None, (self._trouble, self._audit.problem)))

    @property
    def behind(self) -> bool:
        """Whether the copies are incomplete and must be written again."""
        return bool(self._trouble) or self._removed or self._audit.removed

    @property
    def _removed(self) -> bool:
        return bool(self._copy and self._copied != StoredSettings() and not self._copy.exists())

    def coming(self, number: int = 1) -> str:
        """Return the revision of the next change's first, second, … entry."""
        return str(self.stored.latest + number)

    def ignores(self, configured: tuple[Project, ...]) -> bool:
        """Return whether the configured projects differ from those before the first change."""
        return self.stored.seed is not None and self.stored.seed != configured

    def audit(self) -> tuple[AuditEntry, ...]:
        """Return the audit log, newest first."""
        return self._audit.entries()

    def last_change(self, revision: str) -> str:
        """Return who made the change of a revision; empty if unknown."""
        entry = self._audit.entry(revision)
        return change_text(entry) if entry else ""

    def last_deletion(self, name: str) -> str:
        """Return who deleted a project; empty if unknown."""
        what = f"deleted project {name}"
        entry = next((e for e in self.audit() if e.what.startswith(what)), None)
        return change_text(entry) if entry else ""

    def _restore(self) -> StoredSettings:
        """Return the newer of database and copy, after storing it in the database."""
        rows, copy = read_rows(self._store), read_copy(self._copy)
        if not (rows.whole.value or copy.value) and (rows.whole.newer or copy.newer):
            raise VersionMismatch(
                f"The settings in {self._store.path} and their copy {self._copy} were written by a "
                "newer version of jupyter_gpuquota "
                f"({rows.whole.problem or copy.problem}).",
                hint="Upgrade jupyter_gpuquota in this environment, or use another state folder.",
            )
        self._set_aside(rows, copy)
        self._copied = copy.value or StoredSettings()
        found, notes = rows.best, tuple[AuditNote, ...]()
        if copy.value and (not rows.whole.value or _newer(copy.value, found)):
            found, notes = copy.value, (AuditNote("restored the settings from their copy"),)
        latest = max(found.latest, self._audit.newest) + len(notes)
        found = msgspec.structs.replace(found, latest=latest)
        if found != rows.whole.value and (rows.there or found != StoredSettings()):
            audited = (audit_row(_entry(latest, "system", note)) for note in notes)
            self._store.change([*all_rows(found), *audited])
        return found

    def _set_aside(self, rows: Rows, copy: Record[StoredSettings]) -> None:
        """Set aside what is unreadable in either."""
        if self._aside and self._copy and copy.problem:
            self._aside.move(
                [self._copy],
                f"The copy {self._copy} of the settings cannot be read: {copy.problem}.",
                "It was rewritten." if rows.whole.value else _BACK,
            )
        if self._aside and rows.bad:
            self._aside.keep(
                "settings-rows.ndjson",
                b"\n".join(rows.bad.values()),
                "Settings in the state file cannot be read: "
                f"{', '.join(rows.bad)} ({rows.whole.problem}).",
                "They were restored from the copy, settings.json." if copy.value else _BACK,
            )

    def _project_rows(self, stored: StoredSettings) -> Iterable[Row]:
        """Yield statements that update the table of projects: a row each, in order of creation."""
        old = {project.name: project for project in self.stored.projects or ()}
        new = {project.name: project for project in stored.projects or ()}
        yield from (("DELETE FROM projects WHERE name = ?", (n,)) for n in old if n not in new)
        for name, project in new.items():
            if old.get(name) != project:
                statement = (
                    "INSERT INTO projects VALUES (?, ?) "
                    "ON CONFLICT (name) DO UPDATE SET body = excluded.body"
                )
                yield statement, (name, msgspec.json.encode(project))


def _newer(copy: StoredSettings, found: StoredSettings) -> bool:
    """Return whether a copy has a later change, or was restored since."""
    return copy.latest >= found.latest and copy != found


def _entry(number: int, who: str, note: AuditNote) -> AuditEntry:
    return AuditEntry(
        id=str(number),
        at=note.at or datetime.now(UTC),
        who=who,
        what=note.what,
        sentence=note.sentence,
        before=_json(note.before),
        after=_json(note.after),
    )


def _json(value: Any) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()
