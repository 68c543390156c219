"""Calls of routes become HTTP, and HTTP becomes answers or errors: by the route table alone."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import msgspec

from ...errors import (
    GpuQuotaError,
    NoServer,
    NotAllowed,
    OutcomeUnknown,
    Unavailable,
    VersionMismatch,
)
from ...model.routes.table import route
from ...model.struct import Model, Problem, Request, error_of, problem_of
from .texts import travelling

ROOT = "gpuquota/api"
"""The path of the interface below a base URL."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a route; `timeout` in seconds."""

    route: str
    args: dict[str, str] = field(default_factory=dict)
    query: Request | None = None
    body: Request | None = None
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class Message:
    """A call as it is sent; `target` is relative to the root of the interface."""

    method: str
    target: str
    body: bytes
    timeout: float


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it was received."""

    status: int
    body: bytes


def encode(call: Call) -> Message:
    """Return the message of a call. Raises InvalidFields for text that is not valid Unicode."""
    with travelling(call.args, call.query, call.body):
        return _encode(call)


def _encode(call: Call) -> Message:
    row = route(call.route)
    target = row.path.format(**{name: quote(value, safe="") for name, value in call.args.items()})
    if call.query is not None:
        wanted = {name: value for name, value in _changed(call.query).items() if value != ""}
        target += f"?{urlencode(wanted)}" if wanted else ""
    body = msgspec.json.encode(call.body) if call.body is not None else b""
    return Message(row.method, target, body, call.timeout)


def decode(call: Call, reply: Reply) -> Any:
    """Return the answer to a call. Raises the error that the server reports."""
    if _is_success(reply.status):
        return _read(call, reply.body, route(call.route).response)
    try:
        problem = msgspec.json.decode(reply.body, type=Problem)
    except msgspec.MsgspecError:
        raise _stranger(reply.status) from None
    raise error_of(problem)


class Lines(Protocol):
    """An answer that comes line by line."""

    status: int

    def read(self) -> bytes:
        """Return the whole of it; for an error."""

    def next(self) -> bytes:
        """Return the next line, empty at the end. Blocks; raises Unavailable."""

    def close(self) -> None:
        """Close the connection; a `next` of another thread then fails."""


class Answers:
    """The answers of a route that streams, one by one."""

    def __init__(self, call: Call, lines: Lines) -> None:
        self._call, self._lines = call, lines
        if not _is_success(lines.status):
            with closing(lines):
                decode(call, Reply(lines.status, lines.read()))

    def next(self) -> Any:
        """Return the next answer. Blocks; raises the error that the server reports."""
        line = self._lines.next()
        if not line:
            raise OutcomeUnknown(
                "The connection ended before the answer did.",
                hint="Check whether it happened before you try again.",
            )
        if failure := _read(self._call, line, _Failure).problem:
            raise error_of(failure)
        return _read(self._call, line, route(self._call.route).response)

    def close(self) -> None:
        """Close the connection."""
        self._lines.close()


class Listening(Protocol):
    """A way to a server whose answers come line by line."""

    def listen(self, message: Message) -> Lines:
        """Send a message, and return its answer. Raises NoServer, Unavailable."""


def answers(way: Listening, call: Call) -> Answers:
    """Return the answers of a route that streams; the caller closes them. Raises its errors."""
    return Answers(call, way.listen(encode(call)))


class _Failure(Model, frozen=True, kw_only=True):
    """A line that may report an error; it is then the last one."""

    problem: Problem | None = None


def to_json(value: Any) -> str:
    """Return a document as JSON text; an error as its `Problem`."""
    if isinstance(value, GpuQuotaError):
        value = problem_of(value)
    return msgspec.json.encode(value).decode()


def _is_success(status: int) -> bool:
    return 200 <= status < 300


def _read(call: Call, body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise VersionMismatch(
            f"The answer to {call.route} cannot be understood: {error}.",
            hint="Install the same version of jupyter_gpuquota here and in the server.",
        ) from error


def _stranger(status: int) -> GpuQuotaError:
    """Return the error of an answer from a proxy or another program."""
    if status in {301, 302, 303, 307, 308, 401, 403}:
        return NotAllowed(
            f"The server requires a login (HTTP {status}).", hint="Pass a token to Client."
        )
    if status == 404:
        return NoServer(
            "The server does not have jupyter_gpuquota.",
            hint="Install jupyter_gpuquota there and restart the server, or check the URL.",
        )
    return Unavailable(f"The server answered with HTTP {status} and an unknown body.")


def _changed(query: Request) -> dict[str, Any]:
    defaults = {f.name: f.default for f in msgspec.structs.fields(query)}
    return {n: v for n, v in msgspec.structs.asdict(query).items() if v != defaults[n]}
