"""GPU use over time."""

from __future__ import annotations

import csv
from io import StringIO

from ...client.history import table_of
from ...model.history import History, HistoryPoint, UserHours
from ...model.resources import gpus_text
from .markup import Markup, join, tag
from .view import Column, Row, View, html_table, minute_text, second_text, text_table


class HistoryView(View[History]):
    """GPU use by time step and project.

    By user, each user has a row, and a second table sums up GPU hours.
    """

    @property
    def text(self) -> str:
        """Return tables, and notes on how to read them."""
        tables = [text_table(self._columns, self.data.points)] if self.data.points else []
        if self._users:
            tables.append(f"{self._title}:\n{text_table(_HOURS, self._users)}")
        return "\n\n".join((*tables, self._about())) if tables else self._none()

    @property
    def body(self) -> Markup:
        """Return the same."""
        tables = [html_table(self._columns, self.data.points, "History")] * bool(self.data.points)
        if self._users:
            table = html_table(_HOURS, self._users, self._title)
            tables.append(join(tag("p", f"{self._title}:"), table))
        return join(*tables, tag("p", self._about())) if tables else tag("p", self._none())

    @property
    def records(self) -> list[Row]:
        """Return a row for each point; GPUs are numbers."""
        return table_of(self.data).rows(self.data.points)

    @property
    def csv(self) -> str:
        """Return the rows as comma-separated values, with a line of names."""
        file = StringIO()
        writer = csv.DictWriter(file, [*table_of(self.data).columns], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "at": row["at"].isoformat()} for row in self.records)
        return file.getvalue()

    @property
    def _columns(self) -> list[Column[HistoryPoint]]:
        by_user = self.data.by == "user"
        return [column for column in _COLUMNS if by_user or column is not _USER]

    @property
    def _users(self) -> tuple[UserHours, ...]:
        return self.data.users if self.data.by == "user" else ()

    @property
    def _title(self) -> str:
        since, until = self.data.since, self.data.until
        return f"GPU hours from {minute_text(since)} to {minute_text(until)}"

    def _about(self) -> str:
        simulated = "Simulated GPUs. " if self.data.simulated else ""
        return f"{simulated}Averages over {_span(self.data.step)}. {self.data.note}"

    def _none(self) -> str:
        since, until = self.data.since, self.data.until
        return f"No GPU use recorded from {minute_text(since)} to {minute_text(until)}."


def _span(seconds: int) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _percent(value: int | None) -> str:
    return "" if value is None else f"{value} %"


_USER: Column[HistoryPoint] = Column("USER", lambda p: p.user, whole=True)
_COLUMNS: list[Column[HistoryPoint]] = [
    Column("FROM", lambda p: second_text(p.at), whole=True),
    Column("PROJECT", lambda p: p.project, whole=True),
    _USER,
    Column("IN USE", lambda p: gpus_text(p.allocated)),
    Column("IN QUOTA", lambda p: gpus_text(p.in_quota)),
    Column("OVER QUOTA", lambda p: gpus_text(p.borrowed)),
    Column("PEAK", lambda p: gpus_text(p.peak)),
    Column("REQUESTED", lambda p: gpus_text(p.requested) if p.requested else ""),
    Column("QUEUED", lambda p: str(p.waiting) if p.waiting else ""),
    Column("UTILISATION", lambda p: _percent(p.utilisation)),
]
_HOURS: list[Column[UserHours]] = [
    Column("PROJECT", lambda u: u.project, whole=True),
    Column("USER", lambda u: u.user or "(not named)", whole=True),
    Column("GPU HOURS", lambda u: gpus_text(u.allocated)),
    Column("OVER QUOTA", lambda u: gpus_text(u.borrowed) if u.borrowed else ""),
    Column("REQUESTED", lambda u: gpus_text(u.waited) if u.waited else ""),
    Column("UTILISATION", lambda u: _percent(u.utilisation)),
]
