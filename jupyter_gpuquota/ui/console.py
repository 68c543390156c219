"""Where a command shows its progress."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from ..model.sessions import Progress, Session
from .views.markup import printable


class Console(Protocol):
    """Shows progress, and pieces of an answer that is streamed.

    `shell` is true for a terminal of this machine, which a program can take over.
    """

    shell: bool

    def note(self, line: str) -> None:
        """Show one line of progress."""

    def write(self, text: str) -> None:
        """Show a piece of the answer."""

    def write_bytes(self, piece: bytes) -> None:
        """Show a piece of an answer that may not be text."""

    def redraw(self, line: str) -> None:
        """Show a line of progress in place of the one before; an empty one ends it."""


def show_progress(
    sessions: Iterable[Session], console: Console, *, old: Collection[Progress] = ()
) -> Iterator[Session]:
    """Pass sessions on, and show each new step and each new reason once.

    `old` are steps from before the request.
    """
    shown: set[str] = set()
    for session in sessions:
        name = session.spec.name
        # While it stops, the steps are still those of how it started.
        steps = () if session.state == "stopping" else session.progress
        lines = [f"{name}: {step.message}" for step in steps if step not in old]
        if session.state == "waiting" and session.reason:
            lines.append(f"{name} is queued: {session.reason.message}")
        if session.state in {"running", "stopping"}:
            lines.append(f"{name} is {session.state}.")
        if session.is_saving:
            lines.append(f"{name}: saving open notebooks.")
        for line in lines:
            if line not in shown:
                shown.add(line)
                console.note(printable(line))
        yield session
