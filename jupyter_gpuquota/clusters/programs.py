"""What is done inside sessions, in whichever cluster they are."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

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
from ..model.sessions import Endpoint, LogChunk, LogQuery
from ..model.snapshots.runs import RunList
from ..ports.backend import require
from .members import Members

if TYPE_CHECKING:
    from ..ports.runs import Runs
    from ..ports.sessions import Exec, Ingress, Terminals
    from ..ports.variables import KernelVariables


class UnitedLogs:
    """The output of sessions."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        """Return part of a log. Raises NotFound, Unsupported."""
        backend = self._members.having(session_id)
        return await require(backend, "logs", backend.logs).read(session_id, query)


class UnitedExec:
    """Programs inside sessions."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout. Raises NotFound, WrongState, Unsupported."""
        return await self._of(session_id).execute(session_id, request)

    async def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        """Run a program and yield its output. Raises as `execute`."""
        async with aclosing(self._of(session_id).stream(session_id, request)) as events:
            async for event in events:
                yield event

    async def context(self, session_id: str) -> ExecContext:
        """Return the session's environment variables and folder. Raises as `execute`."""
        return await self._of(session_id).context(session_id)

    def _of(self, session_id: str) -> Exec:
        backend = self._members.having(session_id)
        return require(backend, "exec", backend.exec)


class UnitedTerminals:
    """Terminals inside sessions that run elsewhere."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def open(
        self, session_id: str, request: TerminalRequest
    ) -> AsyncGenerator[TerminalEvent]:
        """Open a terminal and yield what it shows. Raises NotFound, WrongState, Unsupported."""
        async with aclosing(self._of(session_id).open(session_id, request)) as events:
            async for event in events:
                yield event

    async def type(self, session_id: str, terminal: str, typed: TerminalInput) -> None:
        """Send input to a terminal, or resize it. Raises NotFound, Unsupported."""
        await self._of(session_id).type(session_id, terminal, typed)

    def _of(self, session_id: str) -> Terminals:
        backend = self._members.having(session_id)
        return require(backend, "terminals", backend.terminals)


class UnitedIngress:
    """Where sessions listen."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a running session listens. Raises NotFound, WrongState, NotAllowed."""
        return await self._of(session_id).endpoint(session_id, port)

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound, Unsupported."""
        await self._of(session_id).presence(session_id, seen)

    def _of(self, session_id: str) -> Ingress:
        backend = self._members.having(session_id)
        return require(backend, "ingress", backend.ingress)


class UnitedRuns:
    """Runs of sessions that MLflow has recorded."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def of(self, session_id: str) -> RunList:
        """Return the newest runs of a session. Raises NotFound, WrongState, Unsupported."""
        return await self._of(session_id).of(session_id)

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Set tags of a run; return why that failed. Raises NotFound, Unsupported."""
        return await self._of(session_id).tag(session_id, run, tags)

    def _of(self, session_id: str) -> Runs:
        backend = self._members.having(session_id)
        return require(backend, "runs", backend.runs)


class UnitedVariables:
    """Variables of the kernels of sessions."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def write(
        self, session_id: str, names: Sequence[str], notebook: str, dump: str = ""
    ) -> Mapping[str, str]:
        """Let a kernel write variables. Raises NotFound, WrongState."""
        return await self._of(session_id).write(session_id, names, notebook, dump)

    async def forget(self, session_id: str, notebook: str) -> None:
        """Remove what is kept for the next kernel of a notebook."""
        await self._of(session_id).forget(session_id, notebook)

    def _of(self, session_id: str) -> KernelVariables:
        backend = self._members.having(session_id)
        return require(backend, "variables", backend.variables)
