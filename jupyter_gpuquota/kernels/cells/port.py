"""Where the outputs of a cell are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Outputs(Protocol):
    """The output area of the cell that waits here."""

    def stream(self, name: str, text: str) -> None:
        """Write to `stdout` or `stderr`."""

    def display(
        self, data: Mapping[str, Any], metadata: Mapping[str, Any], display_id: str, *, update: bool
    ) -> None:
        """Show a MIME bundle, or another one in place of that with a display id."""

    def clear(self, *, wait: bool) -> None:
        """Remove what was shown; with `wait` once something new is."""

    def ask(self, prompt: str, *, password: bool) -> str:
        """Return what the user answers."""

    def comm(
        self,
        kind: str,
        content: Mapping[str, Any],
        buffers: Sequence[Any],
        answer: Callable[[Mapping[str, Any], Sequence[Any]], None],
    ) -> None:
        """Pass on `comm_open`, `comm_msg` or `comm_close` to the page.

        `answer` takes the data and the buffers of what the page says, while the cell runs.
        """


@dataclass(frozen=True, slots=True)
class Failure:
    """The exception that ended a cell: its class, its message and the lines of its traceback."""

    name: str
    message: str
    traceback: tuple[str, ...] = ()
