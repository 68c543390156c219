"""The one translation of errors to HTTP, and of HTTP errors to ours."""

from __future__ import annotations

from types import TracebackType

import msgspec
from tornado import web

from ..errors import (
    BadAnswer,
    Conflict,
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
from ..model import struct

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
    BadAnswer: 502,
    Unavailable: 503,
    StorageFailed: 507,
}
"""The status of each class of errors; a subclass without a row has its parent's."""

_OF_HTTP: dict[int, GpuQuotaError] = {
    400: InvalidRequest("The request cannot be read."),
    401: NotAuthenticated(
        "You are not logged in.", hint="Log in to JupyterLab, or send its token."
    ),
    403: NotAllowed("You may not do this.", hint="Log in to JupyterLab, or send its token."),
    404: NotFound("This address does not exist.", hint="openapi.json lists all addresses."),
    405: InvalidRequest("This address does not support the method.", hint="See openapi.json."),
    413: InvalidRequest("The body is larger than 1 MiB.", hint="Send less at once."),
    431: InvalidRequest(
        "The headers are larger than 32 KiB.", hint="Send fewer cookies and shorter headers."
    ),
}


def status_of(error: GpuQuotaError) -> int:
    """Return the HTTP status of an error, by the nearest class in the table."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)


def error_in(body: bytes) -> GpuQuotaError:
    """Return the error in a body that another process of ours has written."""
    return struct.error_of(msgspec.json.decode(body, type=struct.Problem))


def error_of(status: int, message: str = "") -> GpuQuotaError:
    """Return our error for a status that the web server chose; `message` is shown if there is one.

    Statuses of 500 and above are our own bugs and never show details.
    """
    known = _OF_HTTP.get(status)
    if known is None:
        return Internal("Internal error.", hint="See the log of the server.")
    return type(known)(message or known.message, hint=known.hint)


def error_raised(status: int, raised: BaseException | None) -> tuple[int, GpuQuotaError]:
    """Return the status and the error to write for what a handler has raised.

    `status` is the web server's choice; it is used for errors that are not ours.
    """
    if isinstance(raised, GpuQuotaError):
        return status_of(raised), raised
    message = raised.log_message or "" if isinstance(raised, web.HTTPError) else ""
    return status, error_of(status, message)


class FaultLogging(web.RequestHandler):
    """A handler that logs our own bugs, but no errors that are reported to the user."""

    def log_exception(
        self,
        typ: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        """Log the traceback of a bug."""
        if not isinstance(value, GpuQuotaError):
            super().log_exception(typ, value, tb)
