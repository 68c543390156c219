"""Sessions, and what can be done inside of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from ..model.idleness import PresenceRequest
from ..model.programs import ExecContext, ExecEvent, ExecRequest, ExecResult
from ..model.resources import Share
from ..model.sessions import Endpoint, LogChunk, LogQuery, Session, SessionSpec


class Sessions(Protocol):
    """What runs sessions."""

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        """Accept a checked request; the session is then waiting or further on.

        Of two calls with one name in one project exactly one succeeds.
        Raises NameTaken, InvalidFields, StorageFailed.
        """

    async def stop(self, session_id: str) -> Session:
        """Begin to stop; returns before all processes have gone.

        Raises NotFound, WrongState, StorageFailed. So do the following.
        """

    async def suspend(self, session_id: str) -> Session:
        """Begin to stop, keeping the request."""

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a suspended or ended session back into the queue.

        `base_url`, unless empty, is that of the JupyterLab that will show it from now on.
        """

    async def resize(self, session_id: str, share: Share) -> Session:
        """Put a session back into the queue with another share; one that runs stops first."""

    async def delete(self, session_id: str) -> None:
        """Forget a session that has no processes any more, with its log."""


class Logs(Protocol):
    """What keeps what sessions print."""

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        """Return a part of a log; empty if nothing was printed. Raises NotFound."""


class Exec(Protocol):
    """What runs programs inside sessions."""

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout, never through a shell.

        Raises NotFound, WrongState if the session does not run.
        """

    def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        """Run a program and yield what it prints; the first event comes when it has started.

        It is ended when the iterator is closed. Raises as `execute` does, before any event.
        """

    async def context(self, session_id: str) -> ExecContext:
        """Return environment variables and folder. Raises NotFound, WrongState."""


class Ingress(Protocol):
    """What lets sessions be reached."""

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a running session listens; `port` 0 is its Jupyter Server.

        Only sockets of the session's own are ever named.
        Raises NotFound, WrongState, NotAllowed for a port that it does not expose.
        """

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Note that a person used a session; a signal of its activity. Raises NotFound."""
