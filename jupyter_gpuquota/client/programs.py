"""Programs inside sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from ..errors import FieldError, Unsupported, refused
from ..model.programs import ExecContext, ExecEvent, ExecRequest, ExecResult, TerminalRequest
from .namespace import Namespace
from .terminals import Terminal

_QUIET = 7 * 86_400.0
"""Seconds that a terminal may show nothing."""


class Programs(Namespace):
    """Run programs in sessions. `name` is an id, a name, or `project/name`."""

    def exec(
        self, name: str, command: Sequence[str], *, project: str = "", timeout: int = 60
    ) -> ExecResult:
        """Run a program inside a running session, without a shell; `timeout` in seconds.

        Raises WrongState if the session does not run.
        """
        request = ExecRequest(command=as_words("command", command), timeout=timeout)
        result: ExecResult = self._context.call_session(
            "sessions.exec", name, project, body=request, timeout=timeout + 30.0
        )
        return result

    def exec_stream(
        self, name: str, command: Sequence[str], *, project: str = "", timeout: int = 60
    ) -> Iterator[ExecEvent]:
        """Iterate over the output of a program as it runs; the last event has its result.

        Closing the iterator ends the program. Raises WrongState.
        """
        request = ExecRequest(command=as_words("command", command), timeout=timeout)
        events = self._context.stream_session(
            "sessions.exec_stream", name, project, body=request, timeout=timeout + 30.0
        )
        with closing(events):
            ended = False
            while not ended:
                event: ExecEvent = events.next()
                ended = event.result is not None
                if event.output or ended:
                    yield event

    def terminal(
        self,
        name: str,
        command: Sequence[str] = (),
        *,
        project: str = "",
        columns: int = 80,
        rows: int = 24,
    ) -> Terminal:
        """Open a terminal inside a session that runs elsewhere; without a command, a shell.

        Raises WrongState, and Unsupported where sessions run on this machine.
        """
        words = as_words("command", command)
        request = TerminalRequest(command=words, columns=columns, rows=rows)
        events = self._context.stream_session(
            "sessions.terminal", name, project, body=request, timeout=_QUIET
        )
        return Terminal(self._context, events)

    def inside(self, name: str, *, project: str = "") -> ExecContext:
        """Return what a terminal of this machine needs to enter a running session.

        Raises WrongState, and Unsupported where sessions run elsewhere.
        """
        transport = self._context.transport()
        if transport.url:
            raise Unsupported(
                f"This terminal cannot enter sessions of {transport.url}.",
                hint="Open the session, and a terminal in it.",
            )
        answer: ExecContext = self._context.call_session("sessions.context", name, project)
        return answer


def as_words(field: str, value: Sequence[str]) -> tuple[str, ...]:
    """Return a list of words. Raises InvalidFields for text."""
    if isinstance(value, str):
        problem = FieldError(field, "It must be a list of words, not text.", 'Write ["ls", "-l"].')
        raise refused(problem)
    return tuple(value)
