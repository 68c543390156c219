"""Large uploads: the body is copied between connections, and both are closed after it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus

import msgspec
from tornado.httputil import HTTPHeaders, ResponseStartLine
from tornado.iostream import IOStream, StreamClosedError

from ...api.statuses import status_of
from ...errors import GpuQuotaError, Unavailable
from ...model.struct import problem_of
from .byte_copy import copy_bytes, discard
from .protocol.body import head
from .response import ProxyResponse

Translate = Callable[[HTTPHeaders], HTTPHeaders]

_LINGER = 30.0
"""Seconds for which a browser may continue to send after an early response."""

NO_RESPONSE = Unavailable(
    "The session closed the connection without a response.", hint="Check its log."
)


class RawResponse:
    """A response written directly to a browser's connection while its body is being read.

    It ends with the connection.
    """

    def __init__(self, stream: IOStream, translate: Translate) -> None:
        self.stream = stream
        self.status = 0
        self._translate = translate

    async def write_head(
        self,
        start: ResponseStartLine,
        headers: HTTPHeaders,
        rest: int,
    ) -> None:
        """Write status and headers."""
        self.status = start.code
        kept = self._translate(headers)
        kept["Connection"] = "close"
        await self.write_body(head(f"HTTP/1.1 {start.code} {start.reason}", kept))

    async def write_body(self, part: bytes) -> None:
        """Write a part of the body, or other raw bytes."""
        await self.stream.write(part)

    async def refuse(self, error: GpuQuotaError) -> None:
        """Send an error."""
        self.status = status_of(error)
        body = msgspec.json.encode(problem_of(error))
        headers = HTTPHeaders(
            {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "Connection": "close",
            }
        )
        first = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"
        with suppress(StreamClosedError):
            await self.write_body(head(first, headers) + body)

    async def linger(self, reading: asyncio.Future[None] | None = None) -> None:
        """Let the browser finish sending, else it does not show the response.

        What it sends is discarded, unless `reading` does so already.
        """
        if self.stream.closed():
            return
        with suppress(OSError, StreamClosedError, TimeoutError):
            self.stream.socket.shutdown(socket.SHUT_WR)
            await asyncio.wait_for(reading or discard(self.stream), _LINGER)


async def relay_upload(browser: RawResponse, upstream: IOStream, method: str, size: int) -> None:
    """Copy a body of `size` bytes to the session, and its response back meanwhile."""
    response = ProxyResponse(upstream, method, browser, bypass=False)
    reading = asyncio.ensure_future(response.read())
    moving = asyncio.ensure_future(_move(browser.stream, upstream, size))
    try:
        await asyncio.wait([reading, moving], return_when=asyncio.FIRST_COMPLETED)
        if moving.done() and moving.exception():  # the browser has hung up
            upstream.close()
        await reading
        upstream.close()
        if not response.began:
            await browser.refuse(response.fault or NO_RESPONSE)
        if not moving.done():
            await browser.linger(moving)
    finally:
        for task in (reading, moving):
            task.cancel()
        await asyncio.gather(reading, moving, return_exceptions=True)
        upstream.close()
        browser.stream.close()


async def _move(browser: IOStream, upstream: IOStream, size: int) -> None:
    """Copy a body, and discard what the session does not take any more.

    Raises StreamClosedError when the browser hangs up.
    """
    try:
        await copy_bytes(browser, upstream, size)
    except StreamClosedError:
        await discard(browser)
