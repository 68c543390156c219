"""Run programs inside sessions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable

from ..errors import FieldError, InvalidFields, WrongState
from ..model.sessions import ExecContext, ExecRequest, ExecResult, Session
from .folders import Launch
from .launch import without_server

LIMIT = 2**20
"""Most bytes of output that are kept."""
LONGEST = 3600
_LAST_WORDS = 0.2
_NOT_FOUND, _NOT_ALLOWED = 127, 126


def context_of(session: Session, launch: Launch | None) -> ExecContext:
    """Return what a program needs to be inside a session. Raises WrongState."""
    if session.state != "running" or launch is None:
        raise WrongState(
            f"{session.spec.name} is {session.state}, not running.",
            hint="Programs run inside running sessions only; resume it first."
            if session.state not in ("waiting", "starting")
            else "Wait until it runs.",
        )
    return ExecContext(env=without_server(launch.env), folder=launch.folder)


def check(request: ExecRequest) -> None:
    """Raise InvalidFields for a request that no program could be started from."""
    errors = []
    if not request.command or not request.command[0]:
        errors.append(FieldError("command", "Name a program.", "For example nvidia-smi."))
    if any("\0" in word for word in request.command):
        errors.append(FieldError("command", "It contains a NUL character."))
    if not 1 <= request.timeout <= LONGEST:
        message = f"A timeout is a number of seconds from 1 to {LONGEST}."
        errors.append(FieldError("timeout", message))
    if errors:
        raise InvalidFields(errors[0].message, fields=tuple(errors))


async def execute(
    context: ExecContext, request: ExecRequest, adopt: Callable[[int], None]
) -> ExecResult:
    """Run a program to its end or timeout; its group is killed when the time is over.

    What it leaves running in the background is the session's, and ends with it. `adopt` is given
    its process group: orphans of it become children of ours.
    """
    reading, writing = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *request.command,
            env=context.env,
            cwd=context.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    except OSError as error:
        os.close(reading)
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_ALLOWED
        message = f"{request.command[0]}: {error.strerror or error}\n"
        return ExecResult(exit_code=code, output=message)
    finally:
        os.close(writing)
    output = _Output(reading)
    try:
        timed_out = not await _wait(process, request.timeout)
    finally:
        adopt(process.pid)
        await output.close()
    code = process.returncode or 0
    return ExecResult(
        exit_code=code if code >= 0 else 128 - code,
        output=bytes(output.kept[:LIMIT]).decode(errors="replace"),
        truncated=len(output.kept) > LIMIT,
        timed_out=timed_out,
    )


async def _wait(process: asyncio.subprocess.Process, timeout: int) -> bool:
    """Wait for a program's end; kill its group if that does not come in time, and say so."""
    try:
        async with asyncio.timeout(timeout):
            await process.wait()
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return True


class _Output:
    """Keep what is printed up to the limit, and let the rest pass, so that nothing blocks.

    The pipe is our own: one of asyncio's would keep a program waited for as long as anything in
    its background holds the pipe open.
    """

    def __init__(self, pipe: int) -> None:
        self.kept = bytearray()
        self._pipe = open(pipe, "rb", buffering=0)  # noqa: SIM115 (closed by its transport)
        self._task = asyncio.create_task(self._read())

    async def close(self) -> None:
        """Take what is there still, and let go."""
        await asyncio.wait([self._task], timeout=_LAST_WORDS)
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _read(self) -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._pipe
        )
        try:
            while block := await reader.read(65_536):
                if len(self.kept) <= LIMIT:
                    self.kept += block
        finally:
            transport.close()
