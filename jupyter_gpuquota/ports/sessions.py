"""Sessions, their logs, programs run inside them, and their network endpoints."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from ..model.ending import PageReport
from ..model.idleness import PresenceRequest
from ..model.programs import (
    ExecContext,
    ExecEvent,
    ExecRequest,
    ExecResult,
    TerminalEvent,
    TerminalInput,
    TerminalRequest,
)
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import Endpoint, LogChunk, LogQuery, Session, SessionSpec
from ..model.volumes.mounts import Mount


class Sessions(Protocol):
    """Creates, stops, resumes and deletes sessions."""

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request; the new session is queued or already further on.

        Of two calls with the same name and project, exactly one succeeds. With a `session_id`, it
        is that of the new session; if there is that session already, as after an answer that was
        lost, it is returned as it is. Raises NameTaken, InvalidFields, StorageFailed.
        """

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session; returns before all processes have ended.

        `why` is its reason from now on; without it, that its owner has requested it.
        Raises NotFound, WrongState, StorageFailed, as do the following methods.
        """

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session, keeping its request for `resume`."""

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a suspended or ended session back into the queue.

        `base_url`, unless empty, is the base URL of the JupyterLab that serves it from now on.
        """

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Put a session back into the queue with another share; a running one stops first.

        `added` are volumes that it mounts besides those that it has.
        """

    async def delete(self, session_id: str) -> None:
        """Delete a session without processes, and its log."""

    async def withdraw(self, session_id: str) -> bool:
        """Delete a queued session that has never started, and whatever was made for it.

        Return False, with nothing changed, for one that has started, is about to, or cannot be
        kept from starting in the meantime. Raises NotFound, StorageFailed, Unavailable; after the
        last two the outcome is unknown.
        """

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page. Raises NotFound.

        While pages are open, stopping and suspending give them time to save.
        """


class Logs(Protocol):
    """Reads the output of sessions."""

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        """Return part of a log; empty if nothing was printed. Raises NotFound."""


class Exec(Protocol):
    """Runs programs inside sessions."""

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout, never through a shell.

        Raises NotFound, and WrongState if the session is not running.
        """

    def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        """Run a program and yield its output; the first event comes when it has started.

        Closing the iterator ends the program. Raises as `execute` does, before any event.
        """

    async def context(self, session_id: str) -> ExecContext:
        """Return the session's environment variables and folder.

        Raises NotFound, WrongState, and Unsupported where sessions run on other machines.
        """


class Terminals(Protocol):
    """Opens terminals inside sessions that run elsewhere."""

    def open(self, session_id: str, request: TerminalRequest) -> AsyncGenerator[TerminalEvent]:
        """Open a terminal and yield what it shows; the first event names it.

        Closing the iterator hangs up. Raises NotFound, WrongState, InvalidFields.
        """

    async def type(self, session_id: str, terminal: str, typed: TerminalInput) -> None:
        """Send input to a terminal, or resize it. Raises NotFound for one that has ended."""


class Ingress(Protocol):
    """Finds where sessions listen."""

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a running session listens; `port` 0 is its Jupyter Server.

        Only sockets of the session's own processes are returned.
        Raises NotFound, WrongState, and NotAllowed for a port that it does not expose.
        """

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound."""
