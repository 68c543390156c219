"""Programs inside sessions. `name` is always an id, a name, or `project/name`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from ..errors import FieldError, Unsupported, refused
from ..model.programs import ExecContext, ExecEvent, ExecRequest, ExecResult
from .context import Context
from .names import find
from .protocol import Answers
from .steps import Ask, Emit, Listen, Operation, ask, look


def exec_(
    context: Context, name: str, command: Sequence[str], *, project: str = "", timeout: int = 60
) -> Operation[ExecResult]:
    """Run a program inside a running session, without a shell; `timeout` in seconds.

    Raises WrongState if the session does not run.
    """
    words = as_words("command", command)
    session = yield from find(context, name, project)
    request = ExecRequest(command=words, timeout=timeout)
    result: ExecResult = yield from ask(
        "sessions.exec", session.id, body=request, timeout=timeout + 30.0
    )
    return result


def exec_stream(
    context: Context, name: str, command: Sequence[str], *, project: str = "", timeout: int = 60
) -> Operation[None]:
    """Run a program as `exec` does and emit what it prints while it runs, at last its result.

    The program is ended when whoever iterates stops. Raises WrongState.
    """
    words = as_words("command", command)
    session = yield from find(context, name, project)
    request = ExecRequest(command=words, timeout=timeout)
    asked = Ask("sessions.exec_stream", {"id": session.id}, body=request, timeout=timeout + 30.0)
    events: Answers = yield Listen(asked)
    with closing(events):
        ended = False
        while not ended:
            event: ExecEvent = yield from look(events.next)
            ended = event.result is not None
            if event.output or ended:
                yield Emit(event)


def inside(context: Context, name: str, *, project: str = "") -> Operation[ExecContext]:
    """What a terminal of this machine needs to work inside a running session.

    Raises Unsupported where sessions run elsewhere, WrongState.
    """
    transport = yield from look(context.transport)
    if transport.url:
        raise Unsupported(
            f"Sessions of {transport.url} cannot be entered from this terminal.",
            hint="Open the session, and a terminal in it.",
        )
    session = yield from find(context, name, project)
    found: ExecContext = yield from ask("sessions.context", session.id)
    return found


def as_words(field: str, value: Sequence[str]) -> tuple[str, ...]:
    """Return a list of words. Raises InvalidFields for text."""
    if isinstance(value, str):
        problem = FieldError(field, "It must be a list of words, not text.", 'Write ["ls", "-l"].')
        raise refused(problem)
    return tuple(value)
