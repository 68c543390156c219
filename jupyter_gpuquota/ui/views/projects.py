"""Projects as they are set, what a change would do, and who changed what."""

from __future__ import annotations

import json
from typing import Any

from ...client.policy import decoded
from ...model.base import Page
from ...model.projects import AuditEntry, ChangePreview, ProjectAnswer, ProjectEffect, Projects
from ...model.quota import Project
from ...model.resources import gpus_text
from .base import Column, Row, View, html_table, pairs_html, pairs_text, text_table
from .markup import Markup, join, tag
from .policy import difference


class ProjectsView(View[Projects]):
    """Show all projects."""

    @property
    def text(self) -> str:
        """Return a table, and what an admin may not have meant."""
        lines = [text_table(self._columns, self.data.items), *self.data.warnings]
        if self.data.file:
            lines.append(f"Set by {self.data.file}: change them there.")
        return "\n".join(lines)

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        notes = (tag("p", text) for text in self.data.warnings)
        return join(html_table(self._columns, self.data.items, "Projects"), *notes)

    @property
    def records(self) -> list[Row]:
        """Return a row for each project; GPUs are numbers."""
        return [_row(project) for project in self.data.items]

    @property
    def _columns(self) -> list[Column[Project]]:
        """Return the columns that have something to say."""
        return [c for c in _COLUMNS if any(map(c.text, self.data.items)) or c not in _RARE]


class ProjectView(View[Project | None]):
    """Show one project as it is set, or what became of it."""

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
        """Return the settings as the one row."""
        return [_row(self.data)] if self.data else []


class ChangeView(View[ChangePreview]):
    """Show what a change would do."""

    @property
    def text(self) -> str:
        """Return the sum, then what would be different."""
        told = [effect.message for effect in self.data.sessions]
        moved = [text_table(_EFFECTS, self._different)] if self._different else []
        return "\n".join([self.data.message, *told, *moved, *self.data.warnings])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        told = [self.data.message, *(e.message for e in self.data.sessions), *self.data.warnings]
        table = html_table(_EFFECTS, self._different, "Projects") if self._different else Markup()
        return join(*(tag("p", text) for text in told), table)

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


class AuditView(View[Page[AuditEntry]]):
    """Show who changed what, newest first."""

    @property
    def text(self) -> str:
        """Return a table."""
        if not self.data.items:
            return "Nothing was changed yet."
        return text_table(_AUDIT, self.data.items)

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        return html_table(_AUDIT, self.data.items, "Changes")

    @property
    def records(self) -> list[Row]:
        """Return a row for each change."""
        return [
            {"at": e.at, "who": e.who, "what": e.what, "before": e.before, "after": e.after}
            for e in self.data.items
        ]


def _pairs(project: Project) -> list[tuple[str, str]]:
    return [(column.heading.capitalize(), column.text(project)) for column in _COLUMNS]


def _row(project: Project) -> Row:
    row: dict[str, Any] = {
        "project": project.name,
        "quota": project.quota / 1000,
        "weight": project.weighs / 1000,
        "limit": None if project.limit is None else project.limit / 1000,
        "priority": project.priority,
        "members": ",".join(project.members),
        "leads": ",".join(project.leads),
        "viewers": ",".join(project.viewers),
        "interactive_on": ",".join(project.node_affinity.interactive),
        "train_on": ",".join(project.node_affinity.train),
        "interactive_duration": project.interactive_duration,
        "min_runtime": project.min_runtime,
        "draining": project.draining,
    }
    return row


def _time(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    parts = ((hours, "h"), (minutes, "m"), (left, "s"))
    return "".join(f"{count}{unit}" for count, unit in parts if count)


def _change(before: int, after: int) -> str:
    return gpus_text(after) if before == after else f"{gpus_text(before)} → {gpus_text(after)}"


def _difference(entry: AuditEntry) -> str:
    """Say which settings a change has changed, or what was made or deleted."""
    before, after = (json.loads(text or "{}") for text in (entry.before, entry.after))
    if not (before and after):
        whole = before or after
        said = {name: _plain(name, value) for name, value in whole.items() if value}
        return ", ".join(f"{n} {text}" for n, text in said.items() if n not in _TOLD and text)
    if "levels" in after:
        return difference(decoded(entry.before), decoded(entry.after))
    return ", ".join(
        f"{name} {_plain(name, before.get(name)) or 'none'} → {_plain(name, value) or 'none'}"
        for name, value in after.items()
        if name != "revision" and before.get(name) != value
    )


def _plain(name: str, value: Any) -> str:
    """Write what is kept of a setting as an admin would, empty for nothing."""
    if value is None:
        return "as the quota" if name == "weight" else ""
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
_TOLD = ("name", "revision")
"""What the sentence itself tells of something made or deleted."""


def _members(project: Project) -> str:
    """Name the members; of other people's projects they are not told."""
    return ", ".join(project.members) or ("all" if project.people_shown else "not shown")


_RARE: list[Column[Project]] = [
    Column("LEADS", lambda p: ", ".join(p.leads)),
    Column("VIEWERS", lambda p: ", ".join(p.viewers)),
]
_COLUMNS: list[Column[Project]] = [
    Column("PROJECT", lambda p: f"{p.name} (draining)" if p.draining else p.name),
    Column("QUOTA", lambda p: gpus_text(p.quota)),
    Column("WEIGHT", lambda p: gpus_text(p.weighs)),
    Column("LIMIT", lambda p: "none" if p.limit is None else gpus_text(p.limit)),
    Column("PRIORITY", lambda p: str(p.priority)),
    Column("MEMBERS", _members),
    *_RARE,
    Column("INTERACTIVE ON", lambda p: ", ".join(p.node_affinity.interactive) or "any"),
    Column("TRAIN ON", lambda p: ", ".join(p.node_affinity.train) or "any"),
    Column("DURATION", lambda p: _time(p.interactive_duration)),
    Column("MIN RUNTIME", lambda p: _time(p.min_runtime)),
]

_EFFECTS: list[Column[ProjectEffect]] = [
    Column("PROJECT", lambda p: p.name),
    Column("QUOTA", lambda p: _change(p.quota_before, p.quota)),
    Column("FAIR SHARE", lambda p: _change(p.fair_before, p.fair)),
    Column("ALLOCATED", lambda p: _change(p.allocated_before, p.allocated)),
]

_AUDIT: list[Column[AuditEntry]] = [
    Column("AT", lambda e: f"{e.at:%Y-%m-%d %H:%M:%S}Z"),
    Column("WHO", lambda e: e.who),
    Column("WHAT", lambda e: e.what),
    Column("CHANGE", _difference),
]
