"""Store, audit and publish the settings of admins: projects, rules, node groups, the policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import structs

from ..core import members
from ..core.idle.exemptions import resolve_known, without_project
from ..core.idle.policy import BUILT_IN, NO_POLICY
from ..core.members import check_deletable
from ..core.projects import check_revision, find, labelled
from ..core.templates import key_of
from ..errors import Conflict, Internal, StorageFailed
from ..model.datasets.settings import DataSettings
from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SettingsText, SettingsTextRequest
from ..model.quota import Department, Project, Rules
from ..model.sessions import Session
from ..model.struct import Message
from ..model.templates import Template
from .board import Board
from .config import GpuQuota
from .inventory import Inventory
from .settings.quota_file import Present, QuotaFile
from .settings.quota_text import settings_of, template_text, text_of
from .settings.settings import AuditNote, Settings, SettingsStore
from .settings.stored import StoredSettings
from .storage.sqlite import Database

Whole = TypeVar("Whole", Rules, Groups, Policy, DataSettings)


class Administrator:
    """The settings of admins. Every method runs in the worker thread; `path` in any thread.

    `project` is the project that owns all devices where none is configured. Where an engine owns
    the projects, `engine` returns them, and only the rest is stored here; `departments` returns
    what it has above them.
    """

    def __init__(
        self,
        config: GpuQuota,
        board: Board,
        project: str = "",
        engine: Callable[[], tuple[Project, ...]] | None = None,
        departments: Callable[[], tuple[Department, ...]] = tuple,
    ) -> None:
        self._config = config
        self._board = board
        self._project = project
        self._engine = engine
        self._departments = departments
        self._store: SettingsStore | None = None
        self._found = Inventory(())
        self._file = QuotaFile(config.quota_file) if config.quota_file else None
        self.path = str(self._file.path) if self._file else ""
        """The path of the quota file, empty for none."""
        self._trouble = ""
        self._named = 0
        """The board's revision at which the names in the file were last resolved."""

    def open(self, database: Database, inventory: Inventory) -> None:
        """Load the stored settings, and publish those in force. Raises StorageFailed."""
        self._store = SettingsStore(database)
        self._store.copy()
        self.show_devices(inventory)

    def show_devices(self, inventory: Inventory) -> None:
        """Publish the detected devices, with the groups of their nodes, and the projects."""
        self._found = inventory
        self._show()

    def _show(self) -> None:
        """Publish the settings in force, after the quota file, nodes or settings have changed."""
        present = self._present()
        if self._file:
            self._file.look(present)
        settings = self._in_force()
        if present.owned is not None:
            settings = msgspec.structs.replace(
                settings, projects=present.owned, departments=self._departments(), source="engine"
            )
        self._board.show_settings(settings)
        self._board.show_inventory(self._found, labelled(self._found.nodes, settings.groups))

    def put_project(self, project: Project, who: str) -> Project:
        """Create or change a project. Raises Conflict, Outdated, StorageFailed."""
        self._check_open()
        present = {p.name: p for p in self._board.settings.projects}
        old = present.get(project.name)
        if old:
            by = self._by(old.revision)
        else:
            by = self._kept.last_deletion(project.name) if project.revision else ""
        check_revision(project.name, old.revision if old else "", project.revision, by)
        if project == old:
            return project  # nothing to store or audit
        new = msgspec.structs.replace(project, revision=self._kept.coming())
        what = f"{'changed' if old else 'created'} project {new.name}"
        self._change_projects({**present, new.name: new}, who, what, old, new)
        return new

    def delete_project(self, name: str, revision: str, who: str, *, drain: bool) -> Project | None:
        """Delete a project or let it drain. Raises NotFound, InUse, Conflict, StorageFailed."""
        self._check_open()
        present = {p.name: p for p in self._board.settings.projects}
        old = find(name, present.values())
        check_revision(name, old.revision, revision or old.revision, self._by(old.revision))
        if not drain:
            members.check_deletable(name, self._board.sessions)
        new = msgspec.structs.replace(old, draining=True, revision=self._kept.coming())
        if members.drained([new], self._board.sessions):
            del present[name]
            self._change_projects(present, who, f"deleted project {name}", old)
            return None
        self._change_projects(
            {**present, name: new}, who, f"started draining project {name}", old, new
        )
        return new

    def put(self, part: Part, requested: Whole, who: str) -> Whole:
        """Change a part of the settings as a whole. Raises Conflict, Outdated, StorageFailed."""
        self._check_open()
        old = getattr(self._board.settings, part)
        by = self._by(old.revision)
        check_revision(PARTS[part].capitalize(), old.revision, requested.revision, by)
        change = self._begin()
        change.put_part(part, requested)
        self._make(change, who)
        changed: Whole = getattr(self._board.settings, part)
        return changed

    def put_text(self, asked: SettingsTextRequest, who: str) -> SettingsText:
        """Change all that differs from the settings in force; each change is audited.

        Raises Conflict, Outdated, InUse, StorageFailed, and InvalidFields, each with its line.
        """
        self._check_open()
        by = self._by(str(self._kept.stored.latest))
        check_revision("The settings", self._text().revision, asked.revision, by)
        wanted = settings_of(asked.text, self._present(), self._board.sessions)
        change = self._begin()
        if self._engine is None:
            change.put_projects(wanted.projects, self._board.sessions, self._teams())
        change.put_others(wanted)
        self._make(change, who)
        return self._text()

    def put_template(self, key: tuple[str, str], new: Template | None, who: str) -> None:
        """Store a template; None deletes it. Raises Conflict, StorageFailed.

        Only those of admins, whose key has no owner, are audited.
        """
        if not key[0]:
            self._check_open()
        change = self._begin()
        change.put_template(key, new)
        self._make(change, who)

    def audit(self) -> tuple[AuditEntry, ...]:
        """Return the audit log, newest entry first."""
        return self._kept.audit()

    def note(self, who: str, what: str) -> None:
        """Add an entry to the audit log that changes no setting. Raises StorageFailed."""
        self._kept.change(self._kept.stored, who, AuditNote(what))

    def happened(self, what: Message, at: datetime) -> None:
        """Add what the system did to the audit log, unless it is there. Raises StorageFailed."""
        self._kept.note_once(AuditNote(what.text, sentence=what, at=at))

    def refresh(self) -> None:
        """Read the quota file if it has changed, and delete projects that have drained.

        Copies that could not be written before are written now, if the disk has space again.
        """
        if self._kept.behind:
            self._kept.copy()
        if self._file and (self._file.changed() or self._names_changed()):
            self._show()
        if self._engine:
            return
        present = {p.name: p for p in self._board.settings.projects}
        for project in members.drained(present.values(), self._board.sessions):
            del present[project.name]
            try:
                self._change_projects(
                    present, "system", f"deleted project {project.name} after draining", project
                )
            except StorageFailed as error:
                self._trouble = f"{error.message} {error.hint}"
                return
        self._trouble = ""

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins."""
        found = [self._trouble, self._file.problem if self._file else "", *self._of_file()[1]]
        if self._store:
            found.append(self._store.problem)
            if not (self._file or self._engine) and self._store.ignores(self._teams()):
                found.append(
                    "GpuQuota.projects was changed, but is ignored: projects are stored in the "
                    "state folder since an admin first changed one. Use `jupyter gpu project set`."
                )
        return tuple(text for text in found if text)

    def _text(self) -> SettingsText:
        return text_of(self._board.settings, self.path)

    def _begin(self) -> Change:
        return Change(self._board.settings, self._kept.stored)

    def _make(self, change: Change, who: str) -> None:
        if change.stored != self._kept.stored:
            self._kept.change(change.stored, who, *change.notes)
            self._show()

    def _present(self) -> Present:
        owned = self._engine() if self._engine else None
        return Present(self._found.nodes, owned, self._config.idle_interval)

    def _in_force(self) -> Settings:
        problem = self._file.problem if self._file else ""
        kept = self._kept.stored
        if self._file and (read := self._file.settings):
            own = (each for each in kept.templates if each.owner)
            return msgspec.structs.replace(
                read,
                problem=problem,
                policy=self._of_file()[0],
                templates=(*read.templates, *own),
            )
        projects = kept.projects
        if projects is None:
            projects = self._teams() or (self._whole(),)
        return Settings(
            projects=projects,
            rules=kept.rules or self._config.rules(),
            groups=kept.groups or Groups(),
            policy=msgspec.structs.replace(kept.policy or NO_POLICY, built_in=BUILT_IN),
            data=kept.data or DataSettings(),
            templates=kept.templates,
            source="config" if kept.projects is None else "store",
            problem=problem,
        )

    def _of_file(self) -> tuple[Policy, tuple[str, ...]]:
        """Return the file's policy for the present sessions, and warnings about unknown names."""
        read = self._file.settings if self._file else None
        if not (self._file and read):
            return NO_POLICY, ()
        policy, missing = resolve_known(read.policy, self._board.sessions, datetime.now(UTC))
        return policy, tuple(f"In the quota file {self._file.path} {text}" for text in missing)

    def _names_changed(self) -> bool:
        """Return whether names in the file now match other sessions than before."""
        if self._named == self._board.latest:
            return False
        self._named = self._board.latest
        known = self._file and self._file.settings
        return bool(known) and self._of_file()[0] != self._board.settings.policy

    def _change_projects(
        self, projects: dict[str, Project], who: str, what: str, old: Any, new: Any = None
    ) -> None:
        change = self._begin()
        change.set_projects(tuple(projects.values()), self._teams(), AuditNote(what, old, new))
        self._make(change, who)

    def _teams(self) -> tuple[Project, ...]:
        return self._config.teams(self._found.nodes)

    def _whole(self) -> Project:
        """Return the default project, which owns all devices."""
        devices = (device for node in self._found.nodes for device in node.devices)
        return Project(name=self._project, quota=sum(device.milli for device in devices))

    def _check_open(self) -> None:
        """Raise Conflict where a quota file sets everything."""
        if self._file:
            raise Conflict(
                f"Settings are managed by the file {self._file.path}. Nothing was saved.",
                hint="Edit the file; it is reloaded automatically.",
            )

    def _by(self, revision: str) -> str:
        return self._kept.last_change(revision)

    @property
    def _kept(self) -> SettingsStore:
        if self._store is None:
            raise Internal("The settings are not open.")
        return self._store


Part = Literal["rules", "groups", "policy", "data"]
PARTS: Mapping[Part, str] = {
    "rules": "the rules",
    "groups": "the node groups",
    "policy": "the policy",
    "data": "the settings of datasets",
}
"""The parts that are set as a whole, as the audit log names them."""


class Change:
    """A change in the making: what is to be `stored`, and a note on each thing that differs."""

    def __init__(self, present: Settings, stored: StoredSettings) -> None:
        self._present = present
        self.stored = stored
        self.notes: list[AuditNote] = []

    def put_projects(
        self, wanted: Sequence[Project], sessions: Sequence[Session], configured: Sequence[Project]
    ) -> None:
        """Set the projects; `configured` are those of the configuration. Raises InUse."""
        before = len(self.notes)
        old = {project.name: project for project in self._present.projects}
        found = [self._project(each, old.pop(each.name, None)) for each in wanted]
        for name, gone in old.items():
            check_deletable(name, sessions)
            self.notes.append(AuditNote(f"deleted project {name}", gone))
        if len(self.notes) > before:
            self._store_projects(found, configured)

    def set_projects(
        self, projects: Sequence[Project], configured: Sequence[Project], note: AuditNote
    ) -> None:
        """Set the projects after a change; levels of the policy for deleted ones go with them."""
        self.notes.append(note)
        self._store_projects(projects, configured)
        policy = present = self._present.policy
        left = {project.name for project in projects}
        gone = sorted({project.name for project in self._present.projects} - left)
        for name in gone:
            policy = without_project(policy, name)
        if policy != present:
            policy = structs.replace(policy, revision=self._revision())
            said = f"removed {', '.join(gone)} from the policy"
            self.notes.append(AuditNote(said, present, policy))
            self.stored = structs.replace(self.stored, policy=policy)

    def put_others(self, wanted: Settings) -> None:
        """Set all but the projects."""
        for part in PARTS:
            self.put_part(part, getattr(wanted, part))
        self._put_templates(wanted.templates)

    def put_part(self, part: Part, wanted: Rules | Groups | Policy | DataSettings) -> None:
        """Set one of the parts that are set as a whole."""
        old = getattr(self._present, part)
        same = {"revision": old.revision}
        if isinstance(wanted, Policy):
            same["built_in"] = old.built_in
        if structs.replace(wanted, **same) != old:
            new = structs.replace(wanted, revision=self._revision())
            self.notes.append(AuditNote(f"changed {PARTS[part]}", old, new))
            self.stored = structs.replace(self.stored, **{part: new})

    def put_template(self, key: tuple[str, str], new: Template | None) -> None:
        """Set or delete a template; there is a note only on those of admins."""
        by_key = {key_of(each): each for each in self.stored.templates}
        old = by_key.pop(key, None)
        added = (new,) if new else ()
        self.stored = structs.replace(self.stored, templates=(*by_key.values(), *added))
        if not key[0]:
            self.notes.append(_template_note(key[1], old, new))

    def _put_templates(self, wanted: Sequence[Template]) -> None:
        """Set the templates of admins; those of accounts stay."""
        own = [each for each in self.stored.templates if each.owner]
        old = {each.name: each for each in self.stored.templates if not each.owner}
        before = len(self.notes)
        for new in wanted:
            was = old.pop(new.name, None)
            if was is None or template_text(was) != template_text(new):
                self.notes.append(_template_note(new.name, was, new))
        self.notes += [_template_note(name, gone, None) for name, gone in old.items()]
        if len(self.notes) > before:
            self.stored = structs.replace(self.stored, templates=(*wanted, *own))

    def _project(self, wanted: Project, old: Project | None) -> Project:
        """Return a project as it is to be stored: the old one, unless something differs.

        A project that drains goes on draining unless something else of it is changed.
        """
        if old and structs.replace(wanted, revision=old.revision, draining=old.draining) == old:
            return old
        new = structs.replace(wanted, revision=self._revision())
        did = "changed" if old else "created"
        self.notes.append(AuditNote(f"{did} project {new.name}", old, new))
        return new

    def _store_projects(self, projects: Sequence[Project], configured: Sequence[Project]) -> None:
        seed = tuple(configured) if self.stored.seed is None else self.stored.seed
        self.stored = structs.replace(self.stored, projects=tuple(projects), seed=seed)

    def _revision(self) -> str:
        """Return the revision that the entry of the next note takes."""
        return str(self.stored.latest + len(self.notes) + 1)


def _template_note(name: str, old: Template | None, new: Template | None) -> AuditNote:
    did = "changed" if old and new else "created" if new else "deleted"
    return AuditNote(f"{did} template {name}", old, new)
