"""Large uploads: the body is copied between sockets, and both connections are closed after it."""

from __future__ import annotations

import asyncio
import os
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
from .byte_copy import copy_bytes, discard, is_plain, send
from .protocol.body import head
from .response import ProxyResponse

Translate = Callable[[HTTPHeaders], HTTPHeaders]

_LINGER = 30.0
"""Seconds for which a browser may continue to send after an early response."""

NO_RESPONSE = Unavailable(
    "The session closed the connection without a response.", hint="Check its log."
)


class RawResponse:
    """A response written directly to a browser's socket while its body is being read.

    It ends with the connection.
    """

    def __init__(self, stream: IOStream, translate: Translate) -> None:
        self.stream = stream
        self.status = 0
        self._translate = translate
        self._number = os.dup(stream.socket.fileno())

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
        await send(self._number, part)

    async def refuse(self, error: GpuQuotaError) -> None:
        """Send an error and read what the browser is still sending."""
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
        await self.linger()

    async def linger(self) -> None:
        """Let the browser finish sending, else it does not show the response."""
        with suppress(OSError, TimeoutError):
            self.stream.socket.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(_LINGER):
                await discard(self._number)

    def close(self) -> None:
        """Close the connection."""
        os.close(self._number)
        self.stream.close()


async def relay_upload(browser: RawResponse, upstream: IOStream, method: str, size: int) -> None:
    """Copy a body of `size` bytes to the session, and its response back meanwhile."""
    response = ProxyResponse(upstream, method, browser, bypass=False)
    reading = asyncio.ensure_future(response.read())
    moving = asyncio.ensure_future(copy_bytes(browser.stream, upstream, size))
    try:
        await asyncio.wait([reading, moving], return_when=asyncio.FIRST_COMPLETED)
        early = not moving.done()
        broke_off = not early and moving.exception() is not None
        if broke_off and not upstream.closed():
            # Either side hung up. Tell the session that no more follows; it may have responded.
            _end_writing(upstream)
        await reading
        moving.cancel()
        if not response.began:
            await browser.refuse(response.fault or NO_RESPONSE)
        elif early or broke_off:
            await browser.linger()
    finally:
        for task in (reading, moving):
            task.cancel()
        await asyncio.gather(reading, moving, return_exceptions=True)
        upstream.close()
        browser.close()


def _end_writing(upstream: IOStream) -> None:
    """Close one direction of a connection; TLS can only be closed in both."""
    if not is_plain(upstream):
        upstream.close()
        return
    with suppress(OSError):
        upstream.socket.shutdown(socket.SHUT_WR)
