"""Reading a session's response and forwarding it as it arrives."""

from __future__ import annotations

from typing import Protocol, cast

from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream, StreamClosedError, UnsatisfiableReadError

from ...errors import BadAnswer
from ...http1 import client, stays_open
from .protocol.response_head import NOT_HTTP, TOO_LONG, announces_body, bad_answer, check_head

LARGE = 512 * 1024
"""Bytes above which a body of known length is copied past tornado's HTTP."""


class ResponseWriter(Protocol):
    """The receiver of a response. Raises StreamClosedError if it has gone."""

    async def write_head(self, start: ResponseStartLine, headers: HTTPHeaders, rest: int) -> None:
        """Write status and headers; `rest` bytes of the body will bypass this object.

        Raises BadAnswer for headers that cannot be forwarded.
        """

    async def write_body(self, part: bytes) -> None:
        """Write a part of the body; return when there is room for the next."""


class ProxyResponse(HTTPMessageDelegate):
    """One response.

    `began` once its head is forwarded, `complete` once nothing is missing, `reusable` if the
    connection accepts another request. `rest` bytes are still to be read by the caller if the body
    goes past tornado's HTTP. `fault` is set, and `began` is not, if the head violates HTTP.
    """

    def __init__(
        self, upstream: IOStream, method: str, writer: ResponseWriter, *, bypass: bool
    ) -> None:
        self._upstream = upstream
        self._method = method
        self._writer = writer
        self._bypass = bypass
        self._connection = client(upstream)
        self._detached = False
        self.began = False
        self.complete = False
        self.reusable = False
        self.rest = 0
        self.fault: BadAnswer | None = None

    async def read(self) -> None:
        """Read to the end, or to the body that goes past tornado's HTTP."""
        self._connection.finish()  # the request is written separately
        self._upstream.set_nodelay(True)
        try:
            await self._connection.read_response(self)
        except StreamClosedError as error:
            if isinstance(error.real_error, UnsatisfiableReadError):
                self.fault = bad_answer(TOO_LONG)
            self._upstream.close()
            return
        if not (self.began or self.fault):
            self.fault = bad_answer(NOT_HTTP)
        if not (self._detached or self._upstream.closed()):
            self._connection.detach()

    async def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Forward the head unless it is faulty."""
        start = cast("ResponseStartLine", start_line)
        if 100 <= start.code < 200 and start.code != 101:
            return
        try:
            check_head(start, headers)
            await self._begin(start, headers)
        except BadAnswer as fault:
            self.fault = fault
        except StreamClosedError:  # the browser has gone
            self.began = True
        else:
            self.began = True
            return
        self._detach()
        self._upstream.close()

    async def data_received(self, chunk: bytes) -> None:
        """Forward a part of the body and wait until it is sent."""
        try:
            await self._writer.write_body(chunk)
        except StreamClosedError:  # the browser has gone
            self._upstream.close()

    def finish(self) -> None:
        """Mark the response as complete."""
        self.complete = True

    async def _begin(self, start: ResponseStartLine, headers: HTTPHeaders) -> None:
        empty = self._method == "HEAD" or start.code in (204, 304)
        # A forbidden body may be sent all the same, and would be read as the next response.
        self.reusable = stays_open(start, headers) and not (empty and announces_body(headers))
        if start.code == 204:
            headers.pop("Content-Length", None)  # not allowed with 204 (RFC 9110, 8.6)
        length = headers.get("Content-Length", "")
        if not empty and self._bypass and length and int(length) >= LARGE:
            self.rest = int(length)
        if empty or self.rest:
            self._detach()
            self.complete = empty
        await self._writer.write_head(start, headers, self.rest)

    def _detach(self) -> None:
        """Stop tornado from reading the body."""
        if not self._detached:
            self._connection.detach()
            self._detached = True
