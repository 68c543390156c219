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


class ExecContext(Model, frozen=True, kw_only=True):
    """What a terminal of the same account needs to be inside a session."""

    env: dict[str, str]
    folder: str
