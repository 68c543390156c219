"""Translate errors to HTTP, once, and HTTP's own errors to ours."""

from __future__ import annotations

import msgspec
from tornado import web

from ..errors import (
    BY_CODE,
    Conflict,
    FieldError,
    GpuQuotaError,
    Internal,
    InvalidFields,
    InvalidRequest,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    StorageFailed,
    TooManyAttempts,
    Unavailable,
    Unsupported,
)
from ..model.base import FieldProblem, Problem

STATUSES: dict[type[GpuQuotaError], int] = {
    InvalidRequest: 400,
    InvalidFields: 422,
    NotAllowed: 403,
    NotAuthenticated: 401,
    TooManyAttempts: 429,
    NotFound: 404,
    Conflict: 409,
    Internal: 500,
    Unsupported: 501,
    Unavailable: 503,
    StorageFailed: 507,
}
"""The status of each class of errors; a subclass without a row has its parent's."""

_OF_HTTP: dict[int, GpuQuotaError] = {
    400: InvalidRequest("The request cannot be read."),
    401: NotAuthenticated("Nobody is logged in.", hint="Log in to JupyterLab, or send its token."),
    403: NotAllowed("That is not allowed.", hint="Log in to JupyterLab, or send its token."),
    404: NotFound(
        "There is nothing at this address.", hint="GET openapi.json lists what there is."
    ),
    405: InvalidRequest("This address does not take that method.", hint="See openapi.json."),
    413: InvalidRequest("The body is larger than 1 MiB.", hint="Send less at once."),
}


def status_of(error: GpuQuotaError) -> int:
    """Return the HTTP status of an error, by the nearest class in the table."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)


def problem_of(error: GpuQuotaError) -> Problem:
    """Return the body that says an error."""
    return Problem(
        code=error.code,
        message=error.message,
        hint=error.hint,
        fields=tuple(
            FieldProblem(field=f.field, message=f.message, hint=f.hint) for f in error.fields
        ),
    )


def error_in(body: bytes) -> GpuQuotaError:
    """Return the error that a body says, as another process of ours has written it."""
    problem = msgspec.json.decode(body, type=Problem)
    fields = tuple(FieldError(f.field, f.message, f.hint) for f in problem.fields)
    made = BY_CODE.get(problem.code, Internal)
    return made(problem.message, hint=problem.hint, fields=fields)


def error_of(status: int, message: str = "") -> GpuQuotaError:
    """Return our error for a status that the web server chose; `message` is shown if there is one.

    Statuses of 500 and above are faults of ours and never show what went wrong inside.
    """
    known = _OF_HTTP.get(status)
    if known is None:
        return Internal("Something went wrong here.", hint="The log of the server says more.")
    return type(known)(message or known.message, hint=known.hint)


def error_raised(status: int, raised: BaseException | None) -> tuple[int, GpuQuotaError]:
    """Return the status and the error to write for what a handler has raised.

    `status` is the web server's choice; it counts for what is no error of ours.
    """
    if isinstance(raised, GpuQuotaError):
        return status_of(raised), raised
    message = raised.log_message or "" if isinstance(raised, web.HTTPError) else ""
    return status, error_of(status, message)
