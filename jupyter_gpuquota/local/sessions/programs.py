"""Run programs inside sessions."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import sys
from asyncio import StreamReaderProtocol
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Any, BinaryIO

from ...errors import WrongState
from ...model.programs import ExecContext, ExecRequest, ExecResult
from ...model.sessions import Session
from ..folders.folders import Launch, Leader
from ..shim import namespaces
from .launch_spec import without_server

_LAST_WORDS = 0.2
"""Seconds that are waited for the rest of the output when a program has ended."""
_BLOCK = 65_536
_NOT_FOUND, _NOT_ALLOWED = 127, 126


def context_of(session: Session, launch: Launch | None, leader: Leader | None) -> ExecContext:
    """Return what programs need to be in a session. Raises WrongState."""
    if session.state != "running" or launch is None or leader is None:
        raise WrongState(
            f"{session.spec.name} is {session.state}, not running.",
            hint="Resume it first."
            if session.state not in ("waiting", "starting")
            else "Wait until it is running.",
        )
    return ExecContext(
        env=without_server(launch.env), folder=launch.folder, prefix=_prefix(session, leader)
    )


def _prefix(session: Session, leader: Leader) -> tuple[str, ...]:
    """Return what enters the namespaces of a session that may not write all that it mounts."""
    spec = session.spec
    if not any(mount.read_only for mount in spec.volumes) and (os.geteuid() or not spec.data):
        return ()
    program = (sys.executable, "-I", "-S", namespaces.__file__)
    return (*program, "enter", str(leader.pid), str(leader.ticks), "--")


async def run(
    context: ExecContext, request: ExecRequest, adopt: Callable[[int], None]
) -> AsyncGenerator[bytes | ExecResult]:
    """Yield empty bytes when a program has started, then its output, then its result.

    Its process group is killed on timeout, and when the iterator is closed. Processes that it
    leaves in the background belong to the session, and end with it. `adopt` is called with the
    group, whose orphans become our children.
    """
    try:
        process, pipe = await _start(context, request)
    except OSError as error:
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_ALLOWED
        yield f"{request.command[0]}: {error.strerror or error}\n".encode()
        yield ExecResult(exit_code=code, output="")
        return
    ended = asyncio.ensure_future(_wait(process, request.timeout))
    try:
        yield b""
        async with aclosing(_printed(pipe, ended)) as parts:
            async for part in parts:
                yield part
        timed_out = not await ended
    finally:
        ended.cancel()
        await asyncio.wait([ended])
        pipe.close()
        adopt(process.pid)
    code = process.returncode or 0
    code = code if code >= 0 else 128 - code
    yield ExecResult(exit_code=code, output="", timed_out=timed_out)


async def _start(
    context: ExecContext, request: ExecRequest
) -> tuple[asyncio.subprocess.Process, BinaryIO]:
    """Return a started program and the reading end of its output pipe. Raises OSError.

    The pipe is not asyncio's, which would wait for the program's background processes to close it.
    """
    reading, writing = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *context.prefix,
            *request.command,
            env=context.env,
            cwd=context.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return process, os.fdopen(reading, "rb", buffering=0)


async def _wait(process: asyncio.subprocess.Process, timeout: int) -> bool:
    """Return whether a program ended in time; otherwise, or if cancelled, kill its group."""
    try:
        async with asyncio.timeout(timeout):
            await process.wait()
    except TimeoutError:
        return False
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return True


async def _printed(pipe: BinaryIO, ended: asyncio.Future[bool]) -> AsyncGenerator[bytes]:
    """Yield a pipe's data until it is closed, or until shortly after the program's end."""
    reader, loop = asyncio.StreamReader(), asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: StreamReaderProtocol(reader), pipe)
    last = math.inf
    try:
        while loop.time() < last:
            reading = asyncio.ensure_future(reader.read(_BLOCK))
            try:
                both: list[asyncio.Future[Any]] = [reading, ended]
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if ended.done():
                    last = min(last, loop.time() + _LAST_WORDS)
                    await asyncio.wait([reading], timeout=last - loop.time())
                if not reading.done() or not reading.result():
                    return
                yield reading.result()
            finally:
                reading.cancel()
    finally:
        transport.close()
