"""Where a command shows what happens while it runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol

from ..model.sessions import Progress, Session
from .views.markup import printable


class Screen(Protocol):
    """Show lines that are no part of the answer, and pieces of an answer that grows.

    `shell` tells whether a terminal of this machine can be handed over to a program.
    """

    shell: bool

    def note(self, line: str) -> None:
        """Show one line of progress."""

    def write(self, text: str) -> None:
        """Show a piece of the answer as it is."""


def tell(
    sessions: Iterable[Session], screen: Screen, *, old: Collection[Progress] = ()
) -> Iterator[Session]:
    """Pass sessions on, and show each new step and each new reason once.

    `old` are the steps that were there before the request whose effect is told.
    """
    said: set[str] = set()
    for session in sessions:
        name = session.spec.name
        # While it stops, the steps are still those of how it started.
        steps = () if session.state == "stopping" else session.progress
        lines = [f"{name}: {step.message}" for step in steps if step not in old]
        if session.state == "waiting" and session.reason:
            lines.append(f"{name} waits: {session.reason.message}")
        if session.state in {"running", "stopping"}:
            lines.append(f"{name} is {session.state}.")
        for line in lines:
            if line not in said:
                said.add(line)
                screen.note(printable(line))
        yield session
