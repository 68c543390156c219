"""Settings of projects, effects of a change, and the audit log."""

from __future__ import annotations

import json
from typing import Any

from ...client.audit import AUDIT
from ...client.policy import decoded
from ...client.projects import PROJECTS
from ...model.projects import AuditEntry, ChangePreview, ProjectAnswer, ProjectEffect, Projects
from ...model.quota import Project
from ...model.resources import gpus_text
from ...model.struct import Page
from .markup import Markup, join, tag
from .policy import difference
from .view import (
    Column,
    Row,
    TableView,
    View,
    html_table,
    pairs_html,
    pairs_text,
    second_text,
    text_table,
)


class ProjectsView(View[Projects]):
    """All projects."""

    @property
    def text(self) -> str:
        """Return a table, and warnings."""
        lines = [text_table(self._columns, self.data.items), *self.data.warnings]
        if self.data.file:
            lines.append(f"Managed by {self.data.file}; edit that file (reloaded automatically).")
        return "\n".join(lines)

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        notes = (tag("p", text) for text in self.data.warnings)
        return join(html_table(self._columns, self.data.items, "Projects"), *notes)

    @property
    def records(self) -> list[Row]:
        """Return a row for each project; GPUs are numbers."""
        return PROJECTS.rows(self.data.items)

    @property
    def _columns(self) -> list[Column[Project]]:
        """Return the columns, without empty ones that are rarely used."""
        return [c for c in _COLUMNS if any(map(c.text, self.data.items)) or c not in _RARE]


class ProjectView(View[Project | None]):
    """The settings of one project, or the answer to a change."""

    def __init__(
        self, data: Project | None, *, note: str = "", answer: ProjectAnswer | None = None
    ) -> None:
        super().__init__(data)
        self._answer = answer
        self._notes = [text for text in (note, *(answer.warnings if answer else ())) if text]

    @property
    def document(self) -> Project | ProjectAnswer | None:
        """Return the whole answer to a change."""
        return self._answer or self.data

    @property
    def text(self) -> str:
        """Return a line for each setting."""
        about = [pairs_text(_pairs(self.data))] if self.data else []
        return "\n".join([*about, *self._notes])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        notes = (tag("p", text) for text in self._notes)
        table = pairs_html(_pairs(self.data), "Project") if self.data else Markup()
        return join(table, *notes)

    @property
    def records(self) -> list[Row]:
        """Return the settings as one row."""
        return PROJECTS.rows([self.data] if self.data else [])


class ChangeView(View[ChangePreview]):
    """The effects of a change."""

    @property
    def text(self) -> str:
        """Return the summary, then the differences."""
        effects = [effect.message for effect in self.data.sessions]
        table = [text_table(_EFFECTS, self._different)] if self._different else []
        return "\n".join([self.data.message, *effects, *table, *self.data.warnings])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        lines = [self.data.message, *(e.message for e in self.data.sessions), *self.data.warnings]
        table = html_table(_EFFECTS, self._different, "Projects") if self._different else Markup()
        return join(*(tag("p", text) for text in lines), table)

    @property
    def records(self) -> list[Row]:
        """Return a row for each project; GPUs are numbers."""
        return [
            {
                "project": p.name,
                "quota_before": p.quota_before / 1000,
                "quota": p.quota / 1000,
                "fair_before": p.fair_before / 1000,
                "fair": p.fair / 1000,
                "allocated_before": p.allocated_before / 1000,
                "allocated": p.allocated / 1000,
            }
            for p in self.data.projects
        ]

    @property
    def _different(self) -> list[ProjectEffect]:
        return [
            p
            for p in self.data.projects
            if (p.quota_before, p.fair_before, p.allocated_before) != (p.quota, p.fair, p.allocated)
        ]


class AuditView(TableView[Page[AuditEntry], AuditEntry]):
    """Changes of settings, newest first."""

    def __init__(self, data: Page[AuditEntry]) -> None:
        super().__init__(data, data.items, AUDIT, _AUDIT, "Changes", empty="No changes yet.")


def _pairs(project: Project) -> list[tuple[str, str]]:
    shown = (c for c in _COLUMNS if c is not _DEPARTMENT or project.department)
    return [(column.heading.capitalize(), column.text(project)) for column in shown]


def _time(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    parts = ((hours, "h"), (minutes, "m"), (left, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count)


def _change(before: int, after: int) -> str:
    return gpus_text(after) if before == after else f"{gpus_text(before)} → {gpus_text(after)}"


def _difference(entry: AuditEntry) -> str:
    """Return the settings that differ, or those of something created or deleted."""
    before, after = (json.loads(text or "{}") for text in (entry.before, entry.after))
    if not (before and after):
        whole = before or after
        texts = {name: _plain(name, value) for name, value in whole.items() if value}
        return ", ".join(f"{n} {text}" for n, text in texts.items() if n not in _OMITTED and text)
    if "levels" in after:
        return difference(decoded(entry.before), decoded(entry.after))
    return ", ".join(
        f"{name} {_plain(name, before.get(name)) or 'none'} → {_plain(name, value) or 'none'}"
        for name, value in after.items()
        if name != "revision" and before.get(name) != value
    )


def _plain(name: str, value: Any) -> str:
    """Return a stored setting as an administrator writes it, empty for none."""
    if value is None:
        return "same as quota" if name == "weight" else ""
    if name in _AMOUNTS:
        return gpus_text(value)
    return _time(value) if name in _SPANS else _words(value)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_group(one) if isinstance(one, dict) else str(one) for one in value)
    if isinstance(value, dict):  # node groups, by the kinds of sessions
        return ", ".join(f"{kind}: {', '.join(names)}" for kind, names in value.items() if names)
    return str(value)


def _group(group: dict[str, Any]) -> str:
    apart = ", separate" if group.get("separate") else ""
    return f"{group['name']} ({', '.join(group['nodes'])}{apart})"


_AMOUNTS = ("quota", "weight", "limit")
_SPANS = ("grace", "min_runtime", "interactive_duration")
_OMITTED = ("name", "revision", "people_shown")
"""Fields that the entry itself names, or that are no settings."""


def _members(project: Project) -> str:
    """Return the members; those of other projects are hidden."""
    return ", ".join(project.members) or ("all" if project.people_shown else "hidden")


_DEPARTMENT: Column[Project] = Column("DEPARTMENT", lambda p: p.department)
_PEOPLE: list[Column[Project]] = [
    Column("LEADS", lambda p: ", ".join(p.leads)),
    Column("VIEWERS", lambda p: ", ".join(p.viewers)),
]
_RARE = [_DEPARTMENT, *_PEOPLE]
_COLUMNS: list[Column[Project]] = [
    Column("PROJECT", lambda p: f"{p.name} (draining)" if p.draining else p.name),
    _DEPARTMENT,
    Column("QUOTA", lambda p: gpus_text(p.quota)),
    Column("WEIGHT", lambda p: gpus_text(p.weighs)),
    Column("LIMIT", lambda p: "none" if p.limit is None else gpus_text(p.limit)),
    Column("PRIORITY", lambda p: str(p.priority)),
    Column("MEMBERS", _members),
    *_PEOPLE,
    Column("INTERACTIVE NODES", lambda p: ", ".join(p.node_affinity.interactive) or "any"),
    Column("TRAINING NODES", lambda p: ", ".join(p.node_affinity.train) or "any"),
    Column("MAX INTERACTIVE TIME", lambda p: _time(p.interactive_duration)),
    Column("PROTECTED FOR", lambda p: _time(p.min_runtime)),
]

_EFFECTS: list[Column[ProjectEffect]] = [
    Column("PROJECT", lambda p: p.name),
    Column("QUOTA", lambda p: _change(p.quota_before, p.quota)),
    Column("FAIR SHARE", lambda p: _change(p.fair_before, p.fair)),
    Column("IN USE", lambda p: _change(p.allocated_before, p.allocated)),
]

_AUDIT: list[Column[AuditEntry]] = [
    Column("AT", lambda e: second_text(e.at)),
    Column("WHO", lambda e: e.who),
    Column("WHAT", lambda e: e.what),
    Column("CHANGE", _difference),
]
