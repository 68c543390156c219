"""Controllers of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ...model.controllers import Controllers, ControllerStatus
from .markup import Markup, join, tag
from .view import Column, Row, View, html_table, span_text, text_table


class ControllersView(View[Controllers]):
    """Controllers, below notes about changes."""

    def __init__(self, data: Controllers, notes: Sequence[str] = ()) -> None:
        super().__init__(data)
        problems = [f"{c.backend}: {c.problem}" for c in data.controllers if c.problem]
        self._lines = [*notes, *problems]

    @property
    def text(self) -> str:
        """Return the notes and a table."""
        return "\n".join([*self._lines, text_table(_COLUMNS, self.data.controllers)])

    @property
    def body(self) -> Markup:
        """Return the same."""
        lines = (tag("p", line) for line in self._lines)
        return join(*lines, html_table(_COLUMNS, self.data.controllers, "Controllers"))

    @property
    def records(self) -> list[Row]:
        """Return a row for each controller."""
        return [
            {
                "backend": each.backend,
                "status": _state(each),
                "pid": each.pid,
                "version": each.version,
                "since": each.since,
                "sessions": each.sessions,
                "socket": each.socket,
                "problem": each.problem,
            }
            for each in self.data.controllers
        ]


def _state(each: ControllerStatus) -> str:
    if each.running:
        return "running"
    return "not running" if not each.pid else "starting or stopping"


_COLUMNS: list[Column[ControllerStatus]] = [
    Column("BACKEND", lambda c: c.backend),
    Column("STATUS", _state),
    Column("PROCESS", lambda c: str(c.pid or "")),
    Column("VERSION", lambda c: c.version),
    Column("AGE", lambda c: span_text(c.since, datetime.now(UTC)) if c.since else ""),
    Column("RUNNING SESSIONS", lambda c: "" if c.sessions is None else str(c.sessions)),
    Column("SOCKET", lambda c: c.socket),
]
