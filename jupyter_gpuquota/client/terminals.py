"""Terminals inside sessions that run elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..model.programs import ExecResult, TerminalEvent, TerminalInput

if TYPE_CHECKING:
    from .connection.context import Context
    from .connection.protocol import Answers


class Terminal:
    """An open terminal. Iterating over it blocks; another thread may type meanwhile.

    `result` is how its program ended, None while it runs.
    """

    def __init__(self, context: Context, events: Answers) -> None:
        self._context = context
        self._events = events
        first: TerminalEvent = events.next()
        self._args = {"id": first.session, "terminal": first.terminal}
        self.result: ExecResult | None = None

    def __iter__(self) -> Iterator[str]:
        """Iterate over what it shows, to its end."""
        while self.result is None:
            event: TerminalEvent = self._events.next()
            if event.output:
                yield event.output
            self.result = event.result

    def write(self, text: str) -> None:
        """Type text. Raises NotFound once the terminal has ended."""
        self._context.call("sessions.type", self._args, body=TerminalInput(text=text))

    def resize(self, columns: int, rows: int) -> None:
        """Set its size in characters. Raises NotFound once the terminal has ended."""
        size = TerminalInput(columns=columns, rows=rows)
        self._context.call("sessions.type", self._args, body=size)

    def close(self) -> None:
        """Hang up."""
        self._events.close()
