"""Projects and their GPU use."""

from __future__ import annotations

from collections.abc import Sequence

from ...client.quota import table_of
from ...model.quota import Department, ProjectUse, Quota
from ...model.resources import counted_gpus, gpus_text
from .markup import Markup, bar, join, tag
from .view import Column, Row, View, html_table, text_table


class QuotaView(View[Quota]):
    """The quota and the GPU use of all projects, or of one.

    `warnings` are for administrators, for example that the quota file cannot be used.
    """

    def __init__(self, data: Quota, *, project: str = "", warnings: Sequence[str] = ()) -> None:
        super().__init__(data)
        self._warnings = warnings
        self._projects = [p for p in data.projects if project in ("", p.name)]
        self._departments = [] if project else _as_tree(data.departments)

    @property
    def text(self) -> str:
        """Return the totals as one line, then a table of projects, and one of departments."""
        parts = [self._sum(), text_table(self._columns(), self._projects)]
        if self._departments:
            parts += ["", text_table(_DEPARTMENTS, self._departments)]
        if self._warnings:
            parts += ["", *self._warnings]
        return "\n".join(parts)

    @property
    def body(self) -> Markup:
        """Return the same with bars."""
        columns = [*self._columns(), Column("USED", _used, _bar)]
        parts = [tag("p", self._sum()), html_table(columns, self._projects, "Quota")]
        if self._departments:
            parts.append(html_table(_DEPARTMENTS, self._departments, "Departments"))
        return join(*parts, *(tag("p", text) for text in self._warnings))

    @property
    def records(self) -> list[Row]:
        """Return a row for each project; GPUs are numbers."""
        return table_of(self.data).rows(self._projects)

    def _sum(self) -> str:
        q = self.data
        simulated = " (simulated)" if q.simulated else ""
        others = f"{gpus_text(q.others)} used by other workloads, " if q.others else ""
        return (
            f"{counted_gpus(q.capacity)}{simulated}: {gpus_text(q.allocated)} in use, "
            f"{others}{gpus_text(q.free)} free."
        )

    def _columns(self) -> list[Column[ProjectUse]]:
        return _ACTIVITY if self.data.undivided else [*self._shares(), *_ACTIVITY]

    def _shares(self) -> list[Column[ProjectUse]]:
        default = self.data.default
        return [
            Column("PROJECT", lambda p: f"{p.name} (default)" if p.name == default else p.name),
            Column("QUOTA", lambda p: gpus_text(p.quota)),
            Column("IN USE", lambda p: gpus_text(p.allocated)),
            Column("IN QUOTA", lambda p: gpus_text(p.allocated - p.over)),
            Column("OVER QUOTA", lambda p: gpus_text(p.over) if p.over else ""),
            Column("FAIR SHARE", lambda p: gpus_text(p.fair)),
        ]


def _queued(project: ProjectUse) -> str:
    requested = project.requested - project.allocated
    return f"{project.waiting} ({counted_gpus(requested)})" if requested else str(project.waiting)


def _used(project: ProjectUse) -> str:
    return f"{gpus_text(project.allocated)} of {counted_gpus(project.quota)}"


def _bar(project: ProjectUse) -> Markup:
    return bar(_used(project), project.allocated, project.quota)


def _amount(milli: int | None) -> str:
    return "unlimited" if milli is None else gpus_text(milli)


def _as_tree(departments: Sequence[Department]) -> list[Department]:
    """Return departments with each after the one that it is part of; a circle ends."""
    parents = {each.name: each.parent for each in departments}

    def path(department: Department) -> list[str]:
        found = [department.name]
        while (above := parents.get(found[0], "")) and above not in found:
            found.insert(0, above)
        return found

    return sorted(departments, key=path)


_ACTIVITY: list[Column[ProjectUse]] = [
    Column("RUNNING", lambda p: str(p.running)),
    Column("QUEUED", _queued),
    Column("USERS", lambda p: ", ".join(f"{u.user} {gpus_text(u.allocated)}" for u in p.users)),
]
_DEPARTMENTS: Sequence[Column[Department]] = (
    Column("DEPARTMENT", lambda d: d.name),
    Column("PART OF", lambda d: d.parent),
    Column("QUOTA", lambda d: _amount(d.quota)),
    Column("LIMIT", lambda d: _amount(d.limit)),
    Column("IN USE", lambda d: gpus_text(d.allocated)),
    Column("PROJECTS", lambda d: ", ".join(d.projects)),
)
