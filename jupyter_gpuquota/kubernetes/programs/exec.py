"""Programs inside sessions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from ...control.program_output import events, whole
from ...core.programs import check
from ...errors import Unsupported
from ...model.programs import ExecContext, ExecEvent, ExecRequest, ExecResult
from ...model.sessions import Session
from ..api import Api, Fault
from ..session_pods import Outside, PodOf, refusal, require_running
from . import pod_program


class KubeExec:
    """Runs programs in the containers of sessions, with their environment and folder."""

    def __init__(
        self, api: Api, find: Callable[[str], Session], pod_of: PodOf, outside: Outside
    ) -> None:
        self._api = api
        self._outside = outside
        self._find = find
        self._pod_of = pod_of

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout. Raises InvalidFields, NotFound, WrongState."""
        return await whole(self._run(session_id, request))

    async def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        """Run a program and yield its output. Raises InvalidFields, NotFound, WrongState."""
        async with aclosing(events(self._run(session_id, request))) as seen:
            async for event in seen:
                yield event

    async def context(self, session_id: str) -> ExecContext:
        """Raise Unsupported: no terminal of this machine is inside a pod."""
        session = self._find(session_id)
        require_running(session, self._pod_of(session))
        raise Unsupported(
            f"{session.spec.name} runs in a cluster: no program of this machine can enter it.",
            hint="Run a program there with exec, or open a terminal there with bash.",
        )

    async def _run(
        self, session_id: str, request: ExecRequest
    ) -> AsyncGenerator[bytes | ExecResult]:
        check(request)
        session = self._find(session_id)
        pod = require_running(session, self._pod_of(session))
        with self._outside.program(session_id):
            try:
                async with aclosing(pod_program.run(self._api, pod, request)) as parts:
                    async for part in parts:
                        yield part
            except Fault as fault:
                raise refusal(session, fault) from fault
