"""A change of the settings in force: what differs, and its audit entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import structs

from ...core.idle.exemptions import without_project
from ...core.members import check_deletable
from ...core.templates import key_of
from ...model.datasets.settings import DataSettings
from ...model.policy import Policy
from ...model.projects import Groups
from ...model.quota import Project, Rules
from ...model.sessions import Session
from ...model.templates import Template
from .quota_text import template_text
from .settings import AuditNote, Settings
from .stored import StoredSettings

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
