"""Turn questions into HTTP and HTTP into answers or errors, by the route table alone."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote, urlencode

import msgspec

from ..errors import (
    BY_CODE,
    FieldError,
    GpuQuotaError,
    Internal,
    NoServer,
    NotAllowed,
    Unavailable,
    VersionMismatch,
)
from ..model.base import FieldProblem, Model, Problem, Request
from ..model.routes import route
from .steps import Ask

ROOT = "gpuquota/api"
"""Where the interface is, below a base URL."""


@dataclass(frozen=True, slots=True)
class Message:
    """Be a question as it is sent; `target` is relative to the root of the interface."""

    method: str
    target: str
    body: bytes
    timeout: float


@dataclass(frozen=True, slots=True)
class Reply:
    """Be an answer as it came."""

    status: int
    body: bytes


def encode(ask: Ask) -> Message:
    """Return the message that asks a route."""
    row = route(ask.route)
    target = row.path.format(**{name: quote(value, safe="") for name, value in ask.args.items()})
    if ask.query is not None:
        wanted = {name: value for name, value in _changed(ask.query).items() if value != ""}
        target += f"?{urlencode(wanted)}" if wanted else ""
    body = msgspec.json.encode(ask.body) if ask.body is not None else b""
    return Message(row.method, target, body, ask.timeout)


def decode(ask: Ask, reply: Reply) -> Any:
    """Return what was asked for, or raise the error that the server told of."""
    if _is_success(reply.status):
        return _read(ask, reply.body, route(ask.route).response)
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
        """Hang up, also on a `next` that another thread waits for."""


class Answers:
    """The answers of a route that streams, one by one."""

    def __init__(self, ask: Ask, lines: Lines) -> None:
        self._ask, self._lines = ask, lines
        if not _is_success(lines.status):
            with closing(lines):
                decode(ask, Reply(lines.status, lines.read()))

    def next(self) -> Any:
        """Return the next answer, or raise the error that the server tells of. Blocks."""
        line = self._lines.next()
        if not line:
            raise Unavailable(
                "The connection ended before the answer did.",
                hint="Look at the list before you ask again.",
            )
        if failure := _read(self._ask, line, _Failure).problem:
            raise error_of(failure)
        return _read(self._ask, line, route(self._ask.route).response)

    def close(self) -> None:
        """Hang up."""
        self._lines.close()


class _Failure(Model, frozen=True, kw_only=True):
    """A line that may be the last because something has gone wrong."""

    problem: Problem | None = None


def error_of(problem: Problem) -> GpuQuotaError:
    """Return the error that stands on the wire as a problem."""
    kind = BY_CODE.get(problem.code, Internal)
    fields = tuple(FieldError(f.field, f.message, f.hint) for f in problem.fields)
    return kind(problem.message, hint=problem.hint, fields=fields)


def to_json(value: Any) -> str:
    """Return a document of the wire as text; errors are problems there."""
    if isinstance(value, GpuQuotaError):
        fields = (FieldProblem(field=f.field, message=f.message, hint=f.hint) for f in value.fields)
        value = Problem(
            code=value.code, message=value.message, hint=value.hint, fields=tuple(fields)
        )
    return msgspec.json.encode(value).decode()


def _is_success(status: int) -> bool:
    return 200 <= status < 300


def _read(ask: Ask, body: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise VersionMismatch(
            f"The answer to {ask.route} cannot be understood: {error}.",
            hint="Install the same version of jupyter_gpuquota here and in the server.",
        ) from error


def _stranger(status: int) -> GpuQuotaError:
    """Return the error for an answer that is not ours: a proxy's, or another program's."""
    if status in {301, 302, 303, 307, 308, 401, 403}:
        return NotAllowed(
            f"The server wants a login (HTTP {status}).", hint="Give Client a token of it."
        )
    if status == 404:
        return NoServer(
            "There is a server, but without jupyter_gpuquota.",
            hint="Install jupyter_gpuquota there and restart it, or check the address.",
        )
    return Unavailable(f"The server answers with HTTP {status} and nothing that we understand.")


def _changed(query: Request) -> dict[str, Any]:
    defaults = {f.name: f.default for f in msgspec.structs.fields(query)}
    return {n: v for n, v in msgspec.structs.asdict(query).items() if v != defaults[n]}
