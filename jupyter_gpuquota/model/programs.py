"""Programs that run inside sessions."""

from __future__ import annotations

from .struct import Model, Request


class ExecRequest(Request, frozen=True, kw_only=True):
    """A program to run inside a session's environment and share; no shell is involved.

    `timeout` in seconds, 1 to 3600.
    """

    command: tuple[str, ...]
    timeout: int = 60


class ExecResult(Model, frozen=True, kw_only=True):
    """What a program run inside a session printed (both streams) and its exit code."""

    exit_code: int
    output: str
    truncated: bool = False
    timed_out: bool = False


class ExecEvent(Model, frozen=True, kw_only=True):
    """A part of a program's output while it runs, or its end.

    The last one has the `result`, without the earlier output.
    """

    output: str = ""
    result: ExecResult | None = None


class TerminalRequest(Request, frozen=True, kw_only=True):
    """A program to run inside a session with a terminal; without a `command`, a shell."""

    command: tuple[str, ...] = ()
    columns: int = 80
    rows: int = 24


class TerminalEvent(Model, frozen=True, kw_only=True):
    """A part of what a terminal shows, or its end.

    The first one has the `session` and the `terminal` to which input is sent; the last one has the
    `result`, without output.
    """

    session: str = ""
    terminal: str = ""
    output: str = ""
    result: ExecResult | None = None


class TerminalInput(Request, frozen=True, kw_only=True):
    """Text that is typed into a terminal, and its new size unless that is 0."""

    text: str = ""
    columns: int = 0
    rows: int = 0


class ExecContext(Model, frozen=True, kw_only=True):
    """What a terminal of the same account needs to be inside a session.

    `prefix` goes before the words of a program: it enters the session's namespaces, if it has any.
    """

    env: dict[str, str]
    folder: str
    prefix: tuple[str, ...] = ()
