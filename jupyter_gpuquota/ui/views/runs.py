"""Runs of a session in MLflow."""

from __future__ import annotations

from collections.abc import Mapping

from ...client.runs import RUNS
from ...model.snapshots.runs import Run, RunList
from .data.formats import ago_text, short
from .markup import Markup, join, printable, tag
from .view import Column, Row, View, html_table, text_table


class RunsView(View[RunList]):
    """Runs, the newest first, and why they could not be read."""

    @property
    def text(self) -> str:
        """Return a table, or why there is none."""
        return text_table(_COLUMNS, self.data.items) if self.data.items else self._none

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        items = self.data.items
        return join(html_table(_COLUMNS, items, "Runs") if items else tag("p", self._none))

    @property
    def records(self) -> list[Row]:
        """Return a row for each run."""
        return RUNS.rows(self.data.items)

    @property
    def _none(self) -> str:
        return printable(self.data.problem) or RUNS.empty


def _pairs(values: Mapping[str, str | float]) -> str:
    words = (
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in values.items()
    )
    return printable(", ".join(words)) or "-"


_COLUMNS: list[Column[Run]] = [
    Column("RUN", lambda each: printable(each.name) or short(each.id), whole=True),
    Column("STATUS", lambda each: each.status.lower()),
    Column("BEGUN", lambda each: ago_text(each.begun) if each.begun else "-"),
    Column("METRICS", lambda each: _pairs(each.metrics)),
    Column("PARAMETERS", lambda each: _pairs(each.params)),
    Column("GPU", lambda each: "-" if each.gpu is None else f"{each.gpu:.0f} %"),
    Column("SNAPSHOT", lambda each: short(each.snapshot) or "-", whole=True),
]
