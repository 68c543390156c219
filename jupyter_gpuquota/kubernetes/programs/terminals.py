"""Terminals inside sessions, for shells outside of the cluster."""

from __future__ import annotations

import asyncio
import codecs
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime

from ...core.fields import FieldReader
from ...core.idle.work import Screen
from ...errors import NotFound, Unavailable
from ...model.idleness import PresenceRequest
from ...model.programs import ExecResult, TerminalEvent, TerminalInput, TerminalRequest
from ...model.sessions import Session
from ..api import Api, Fault
from ..ingress.ingress import KubeIngress
from ..session_pods import Outside, PodOf, refusal, require_running
from .pod_program import PodProgram

SHELL = ("sh", "-c", "command -v bash >/dev/null && exec bash -l; exec sh -l")
"""What opens without a command: images need not have bash. Nothing of a request is in it."""
MOST = 64
"""Most terminals at a time."""
PAUSE = 30.0
"""Seconds between signs of life on a quiet connection."""
_LARGEST = 1000
_HUNG_UP = 129
"""The exit code of a shell whose terminal hangs up (SIGHUP)."""


class KubeTerminals:
    """The terminals that are open; each is known only to who has opened it."""

    def __init__(
        self,
        api: Api,
        find: Callable[[str], Session],
        pod_of: PodOf,
        ingress: KubeIngress,
        outside: Outside,
        pause: float = PAUSE,
    ) -> None:
        self._pause = pause
        self._outside = outside
        self._api = api
        self._find = find
        self._pod_of = pod_of
        self._ingress = ingress
        self._open: dict[tuple[str, str], tuple[PodProgram, Screen]] = {}

    async def open(
        self, session_id: str, request: TerminalRequest
    ) -> AsyncGenerator[TerminalEvent]:
        """Open a terminal and yield what it shows; the first event names it.

        Raises NotFound, WrongState, InvalidFields, NotAllowed, Unavailable.
        """
        _check(request)
        session = self._find(session_id)
        if len(self._open) >= MOST:
            raise Unavailable(f"{MOST} terminals are open.", hint="Close one of them.")
        pod = require_running(session, self._pod_of(session))
        try:
            command = request.command or SHELL
            program = await PodProgram.start(self._api, pod, command, terminal=True)
            await program.resize(request.columns, request.rows)
        except Fault as fault:
            raise refusal(session, fault) from fault
        key = (session_id, secrets.token_hex(16))
        screen = Screen(typed=datetime.now(UTC))
        self._open[key] = program, screen
        keeping = asyncio.create_task(program.keep_open(self._pause))
        try:
            yield TerminalEvent(session=session_id, terminal=key[1])
            async with aclosing(_shown(program)) as events:
                async for event in events:
                    self._outside.note(session_id, screen.show(event.output, datetime.now(UTC)))
                    yield event
        finally:
            del self._open[key]
            keeping.cancel()
            await program.close()

    async def type(self, session_id: str, terminal: str, typed: TerminalInput) -> None:
        """Send input to a terminal, or resize it. Raises NotFound for one that has ended."""
        if (session_id, terminal) not in self._open:
            raise NotFound("This terminal has ended.", hint="Open another one.")
        program, screen = self._open[session_id, terminal]
        screen.typed = now = datetime.now(UTC)
        try:
            if typed.columns and typed.rows:
                await program.resize(min(typed.columns, _LARGEST), min(typed.rows, _LARGEST))
            if typed.text:
                await program.write(typed.text.encode())
        except Fault as fault:
            raise NotFound("This terminal has ended.", hint="Open another one.") from fault
        await self._ingress.presence(session_id, PresenceRequest(at=now))


async def _shown(program: PodProgram) -> AsyncGenerator[TerminalEvent]:
    """Yield what a terminal shows, and its end."""
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    while (output := await program.read()) is not None:
        if text := letters.decode(output):
            yield TerminalEvent(output=text)
    end = program.end
    if end and end.message:
        yield TerminalEvent(output=f"{end.message}\r\n")
    code = _HUNG_UP if end is None or end.code is None else end.code
    yield TerminalEvent(result=ExecResult(exit_code=code, output=""))


def _check(request: TerminalRequest) -> None:
    reader = FieldReader()
    if any("\0" in word for word in request.command):
        reader.wrong("command", "field.nul")
    for field, value in (("columns", request.columns), ("rows", request.rows)):
        if not 1 <= value <= _LARGEST:
            reader.untranslated(field, f"Must be 1 to {_LARGEST}.")
    reader.finish()
