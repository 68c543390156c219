"""The use of GPUs over time."""

from __future__ import annotations

import csv
from io import StringIO

from ...client.history import COLUMNS, rows
from ...model.history import History, HistoryPoint
from ...model.resources import gpus_text
from .base import Column, Row, View, html_table, text_table
from .markup import Markup, join, tag


class HistoryView(View[History]):
    """Show how projects used GPUs, a row for each step of time and project."""

    @property
    def text(self) -> str:
        """Return a table, and what has to be known to read it."""
        if not self.data.points:
            return self._none()
        return f"{text_table(_COLUMNS, self.data.points)}\n\n{self._about()}"

    @property
    def body(self) -> Markup:
        """Return the same."""
        if not self.data.points:
            return tag("p", self._none())
        return join(html_table(_COLUMNS, self.data.points, "History"), tag("p", self._about()))

    @property
    def records(self) -> list[Row]:
        """Return a row for each point; GPUs are numbers."""
        return rows(self.data)

    @property
    def csv(self) -> str:
        """Return the rows as comma-separated values, with a line of names."""
        file = StringIO()
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "at": row["at"].isoformat()} for row in self.records)
        return file.getvalue()

    def _about(self) -> str:
        simulated = "The GPUs are simulated. " if self.data.simulated else ""
        return f"{simulated}Means over steps of {_span(self.data.step)}. {self.data.note}"

    def _none(self) -> str:
        since, until = self.data.since, self.data.until
        return f"Nothing was sampled from {since:%Y-%m-%d %H:%M %Z} to {until:%Y-%m-%d %H:%M %Z}."


def _span(seconds: int) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


_COLUMNS: list[Column[HistoryPoint]] = [
    Column("FROM", lambda p: f"{p.at:%Y-%m-%d %H:%M:%S %Z}", whole=True),
    Column("PROJECT", lambda p: p.project, whole=True),
    Column("ALLOCATED", lambda p: gpus_text(p.allocated)),
    Column("BY RIGHT", lambda p: gpus_text(p.by_right)),
    Column("BORROWED", lambda p: gpus_text(p.borrowed)),
    Column("PEAK", lambda p: gpus_text(p.peak)),
    Column("WAITED FOR", lambda p: gpus_text(p.asked) if p.asked else ""),
    Column("WAITING", lambda p: str(p.waiting) if p.waiting else ""),
    Column("UTILISATION", lambda p: "" if p.utilisation is None else f"{p.utilisation} %"),
]
