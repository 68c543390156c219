"""Turn questions into HTTP and HTTP into answers or errors, by the route table alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
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
from ..model.base import FieldProblem, Problem, Request
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
    if 200 <= reply.status < 300:
        try:
            return msgspec.json.decode(reply.body, type=route(ask.route).response)
        except msgspec.MsgspecError as error:
            raise VersionMismatch(
                f"The answer to {ask.route} cannot be understood: {error}.",
                hint="Install the same version of jupyter_gpuquota here and in the server.",
            ) from error
    try:
        problem = msgspec.json.decode(reply.body, type=Problem)
    except msgspec.MsgspecError:
        raise _stranger(reply.status) from None
    raise error_of(problem)


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
