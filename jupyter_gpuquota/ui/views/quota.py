"""Projects and what they use."""

from __future__ import annotations

from ...model.quota import ProjectUse, Quota
from ...model.resources import gpus_text
from .base import Column, Row, View, html_table, text_table
from .markup import Markup, bar, join, tag


class QuotaView(View[Quota]):
    """Show how GPUs are shared out; only one project's part with `project`."""

    def __init__(self, data: Quota, *, project: str = "") -> None:
        super().__init__(data)
        self._projects = [p for p in data.projects if project in ("", p.name)]

    @property
    def text(self) -> str:
        """Return the whole in a line, then a table."""
        return f"{self._sum()}\n{text_table(self._columns(), self._projects)}"

    @property
    def body(self) -> Markup:
        """Return the same with bars."""
        columns = [*self._columns(), Column("USED", _used, _bar)]
        return join(tag("p", self._sum()), html_table(columns, self._projects, "Quota"))

    @property
    def records(self) -> list[Row]:
        """Return a row for each project; GPUs are numbers."""
        return [
            {
                "project": p.name,
                "quota": p.quota / 1000,
                "allocated": p.allocated / 1000,
                "by_right": (p.allocated - p.over) / 1000,
                "over": p.over / 1000,
                "fair": p.fair / 1000,
                "asked": p.asked / 1000,
                "weight": p.weight / 1000,
                "limit": None if p.limit is None else p.limit / 1000,
                "priority": p.priority,
                "running": p.running,
                "waiting": p.waiting,
                "mine": p.name in self.data.mine,
                "simulated": self.data.simulated,
            }
            for p in self._projects
        ]

    def _sum(self) -> str:
        q = self.data
        simulated = " (simulated)" if q.simulated else ""
        others = f"{gpus_text(q.others)} held by other workloads, " if q.others else ""
        return (
            f"{gpus_text(q.capacity)} GPUs{simulated}: {gpus_text(q.allocated)} allocated, "
            f"{others}{gpus_text(q.free)} free."
        )

    def _columns(self) -> list[Column[ProjectUse]]:
        default = self.data.default
        return [
            Column("PROJECT", lambda p: f"{p.name} (default)" if p.name == default else p.name),
            Column("QUOTA", lambda p: gpus_text(p.quota)),
            Column("ALLOCATED", lambda p: gpus_text(p.allocated)),
            Column("BY RIGHT", lambda p: gpus_text(p.allocated - p.over)),
            Column("BORROWED", lambda p: gpus_text(p.over) if p.over else ""),
            Column("FAIR SHARE", lambda p: gpus_text(p.fair)),
            Column("RUNNING", lambda p: str(p.running)),
            Column("WAITING", _waiting),
            Column(
                "USERS", lambda p: ", ".join(f"{u.user} {gpus_text(u.allocated)}" for u in p.users)
            ),
        ]


def _waiting(project: ProjectUse) -> str:
    wanted = project.asked - project.allocated
    return f"{project.waiting} for {gpus_text(wanted)} GPUs" if wanted else str(project.waiting)


def _used(project: ProjectUse) -> str:
    return f"{gpus_text(project.allocated)} of {gpus_text(project.quota)} GPUs"


def _bar(project: ProjectUse) -> Markup:
    return bar(_used(project), project.allocated, project.quota)
