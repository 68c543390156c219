"""Read a session's answer and pass it on as it comes."""

from __future__ import annotations

from typing import Protocol, cast

from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream, StreamClosedError

from ..http1 import client, stays_open

LARGE = 512 * 1024
"""Bytes from which on a body of a known length is moved by the kernel."""


class Sink(Protocol):
    """Be whoever the answer is for. Raises StreamClosedError if they are gone."""

    async def take_head(self, start: ResponseStartLine, headers: HTTPHeaders, rest: int) -> None:
        """Take status and headers; `rest` bytes of body will be moved, not given."""

    async def take_body(self, part: bytes) -> None:
        """Take a part of the body; return when there is room for the next."""


class Answer(HTTPMessageDelegate):
    """Be one answer.

    `began` once its head is there, `complete` once nothing is missing, `reusable` if the line
    takes another request after it. `rest` bytes are still on the line where they are to be moved
    by the kernel.
    """

    def __init__(self, line: IOStream, method: str, sink: Sink, *, move: bool) -> None:
        self._line = line
        self._method = method
        self._sink = sink
        self._move = move
        self._connection = client(line)
        self._left = False
        self.began = False
        self.complete = False
        self.reusable = False
        self.rest = 0

    async def read(self) -> None:
        """Read to the end, or to what is to be moved; a line that breaks off is not complete."""
        self._connection.finish()  # the request is written beside it
        self._line.set_nodelay(True)
        try:
            await self._connection.read_response(self)
        except StreamClosedError:
            self._line.close()
            return
        if not (self._left or self._line.closed()):
            self._connection.detach()

    async def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Pass the head on."""
        start = cast("ResponseStartLine", start_line)
        if 100 <= start.code < 200:
            return
        self.began = True
        self.reusable = stays_open(start, headers)
        length = headers.get("Content-Length", "")
        empty = self._method == "HEAD" or start.code in (204, 304)
        if not empty and self._move and length.isdigit() and int(length) >= LARGE:
            self.rest = int(length)
        if empty or self.rest:
            self._connection.detach()
            self._left, self.complete = True, empty
        await self._sink.take_head(start, headers, self.rest)

    async def data_received(self, chunk: bytes) -> None:
        """Pass a part of the body on, and read no further before it was taken."""
        try:
            await self._sink.take_body(chunk)
        except StreamClosedError:  # nobody listens any more
            self._line.close()

    def finish(self) -> None:
        """Note that nothing is missing."""
        self.complete = True
