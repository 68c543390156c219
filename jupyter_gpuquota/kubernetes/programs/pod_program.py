"""A program in a pod, over a WebSocket.

The protocol of programs in pods: channels of one WebSocket.

https://kubernetes.io/docs/reference/using-api/websockets/ Every message begins with the number of
its channel. The last one is on the error channel: a `Status` with how the program ended.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from ...errors import Unavailable
from ...model.programs import ExecRequest, ExecResult
from ..api import Api, Fault, Socket
from ..objects.pods import Pod
from ..session_pods import pod_path

PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
"""Version 5, which can end a program's input, came with Kubernetes 1.30."""

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255

NOT_FOUND, NOT_ALLOWED = 127, 126
"""The exit codes of shells for a program that is missing, or cannot be run."""

_PREFIX = re.compile(
    r"^(?:Internal error occurred: |error executing command in container: )+", re.IGNORECASE
)
_CODE = re.compile(r"exit (?:status|code) (\d{1,3})\b")
_MISSING = re.compile(r"executable file not found|no such file or directory", re.IGNORECASE)
_REFUSED = re.compile(r"permission denied|exec format error|is a directory", re.IGNORECASE)


class _Cause(msgspec.Struct, frozen=True):
    reason: str = ""
    message: str = ""


class _Details(msgspec.Struct, frozen=True):
    causes: tuple[_Cause, ...] = ()


class _Status(msgspec.Struct, frozen=True):
    status: str = ""
    message: str = ""
    details: _Details | None = None


@dataclass(frozen=True, slots=True)
class End:
    """How a program ended: its exit code, None if it could not be run as far as is known.

    `message` is what the runtime says instead of running it, or running it to its end.
    """

    code: int | None
    message: str = ""


def end_of(status: bytes) -> End:
    """Return how a program ended by the message of the error channel."""
    try:
        found = msgspec.json.decode(status, type=_Status)
    except msgspec.MsgspecError:
        return _by_words(status.decode(errors="replace"))
    if found.status == "Success":
        return End(0)
    causes = found.details.causes if found.details else ()
    for cause in causes:
        if cause.reason == "ExitCode" and cause.message.isdecimal():
            return End(int(cause.message))
    return _by_words(found.message)


def resized(columns: int, rows: int) -> bytes:
    """Return the message with the size of a terminal."""
    size: Mapping[str, int] = {"Width": columns, "Height": rows}
    return bytes([RESIZE]) + msgspec.json.encode(size)


def _by_words(text: str) -> End:
    """Return an end by the runtime's words: not every runtime reports the code as such."""
    text = _PREFIX.sub("", text)
    if found := _CODE.search(text):
        return End(int(found[1]))
    if _MISSING.search(text):
        return End(NOT_FOUND, text)
    return End(NOT_ALLOWED if _REFUSED.search(text) else None, text)


_SAID = 2000
"""The most bytes of a program's standard error that are reported."""
_TIMED_OUT = 124
"""The exit code of timeout(1)."""


class PodProgram:
    """A program that runs in the container of a session; no shell is involved.

    Closing the connection ends a program with a terminal, which hangs up. One without a terminal
    runs on until it writes output, which then fails: the protocol cannot send signals.
    """

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._size = (80, 24)
        self.end: End | None = None
        """How the program ended, None while it runs and if that is unknown."""

    @classmethod
    async def start(
        cls,
        api: Api,
        pod: Pod,
        command: Sequence[str],
        *,
        terminal: bool = False,
        fed: bool = False,
    ) -> PodProgram:
        """Start a program, with a terminal, or `fed` with an input. Raises Fault."""
        query = [("container", pod.main.name), ("stdout", "true")]
        query += [("stdin", "true")] if terminal or fed else []
        query += [("tty", "true")] if terminal else [("stderr", "true")]
        query += [("command", word) for word in command]
        return cls(await api.websocket(pod_path(pod, "exec"), query, PROTOCOLS))

    async def read(self) -> bytes | None:
        """Return output as it comes, at first empty; None once it ended or the connection did."""
        found = await self.receive()
        return None if found is None else found[1]

    async def receive(self) -> tuple[int, bytes] | None:
        """Return output as `read` does, with the channel on which it came: STDOUT or STDERR."""
        while (message := await self._socket.receive()) is not None:
            channel, data = message[0] if message else STDOUT, message[1:]
            if channel in (STDOUT, STDERR):
                return channel, data
            if channel == ERROR and data:
                self.end = end_of(data)
                return None
        return None

    async def write(self, data: bytes) -> None:
        """Send input. Raises Fault if the connection is closed."""
        await self._socket.send(bytes([STDIN]) + data)

    async def end_input(self) -> None:
        """End the input, where the protocol can. Raises Fault if the connection is closed."""
        if self._socket.protocol == PROTOCOLS[0]:
            await self._socket.send(bytes([CLOSE, STDIN]))

    async def resize(self, columns: int, rows: int) -> None:
        """Set the size of the terminal. Raises Fault if the connection is closed."""
        self._size = columns, rows
        await self._socket.send(resized(columns, rows))

    async def keep_open(self, pause: float) -> None:
        """Send the terminal's size again every `pause` seconds, until the connection is closed.

        Load balancers close connections that are idle for minutes. To the terminal an unchanged
        size is nothing.
        """
        with suppress(Fault):
            while True:
                await asyncio.sleep(pause)
                await self.resize(*self._size)

    async def close(self) -> None:
        """Close the connection."""
        await self._socket.close()


async def run(api: Api, pod: Pod, request: ExecRequest) -> AsyncGenerator[bytes | ExecResult]:
    """Yield empty bytes when a program has started, then its output, then its result.

    After its timeout, and when the iterator is closed, the program is left as `PodProgram` says.
    Raises Fault, and Unavailable if the connection breaks or the runtime fails.
    """
    program = await PodProgram.start(api, pod, request.command)
    deadline = asyncio.get_running_loop().time() + request.timeout
    try:
        yield b""
        while True:
            async with asyncio.timeout_at(deadline):
                output = await program.read()
            if output is None:
                break
            if output:
                yield output
    except TimeoutError:
        yield ExecResult(exit_code=_TIMED_OUT, output="", timed_out=True)
        return
    finally:
        await program.close()
    end = program.end or End(None)
    if end.code is None:
        raise _failed(request.command[0], end)
    if end.message:
        yield f"{request.command[0]}: {end.message}\n".encode()
    yield ExecResult(exit_code=end.code, output="")


async def binary_output(api: Api, pod: Pod, command: Sequence[str]) -> AsyncGenerator[bytes]:
    """Yield what a program writes to its standard output; nothing else is mixed with it.

    The connection is read only as fast as the iterator is. Raises Fault, and Unavailable with what
    the program has written to its standard error if it fails, or if the connection breaks.
    """
    program = await PodProgram.start(api, pod, command)
    said = b""
    try:
        while (found := await program.receive()) is not None:
            channel, data = found
            if channel == STDERR:
                said = (said + data)[-_SAID:]
            elif data:
                yield data
    finally:
        await program.close()
    end = program.end or End(None)
    if end.code is None:
        raise _failed(command[0], end)
    if end.code:
        text = said.decode(errors="replace").strip() or end.message or f"exit code {end.code}"
        raise Unavailable(f"{command[0]} in the pod has failed: {text}")


def _failed(command: str, end: End) -> Unavailable:
    if not end.message:
        return Unavailable(
            f"The connection to {command} broke off.",
            hint="It may still be running; look at its output files or at the session's log.",
        )
    return Unavailable(
        f"The cluster could not run {command}: {end.message}",
        hint="Try again; if it stays, an administrator has to look at the node.",
    )
