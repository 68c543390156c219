"""Carry a large upload: its body goes from socket to socket, and the connection ends with it."""

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

from ...api.statuses import problem_of, status_of
from ...errors import GpuQuotaError, Unavailable
from .answer import Answer
from .body import head
from .pump import discard, is_plain, pump, send

Translate = Callable[[HTTPHeaders], HTTPHeaders]

_LINGER = 30.0
"""Seconds that a browser may go on sending after it was answered early."""

SILENT = Unavailable(
    "The session ended the connection without an answer.", hint="Its log may say why."
)


class Bare:
    """Write one answer to a browser's socket while its body is read from it.

    The answer ends with the connection.
    """

    def __init__(self, stream: IOStream, translate: Translate) -> None:
        self.stream = stream
        self.status = 0
        self._translate = translate
        self._number = os.dup(stream.socket.fileno())

    async def take_head(
        self,
        start: ResponseStartLine,
        headers: HTTPHeaders,
        rest: int,
    ) -> None:
        """Write status and headers."""
        self.status = start.code
        kept = self._translate(headers)
        kept["Connection"] = "close"
        await self.take_body(head(f"HTTP/1.1 {start.code} {start.reason}", kept))

    async def take_body(self, part: bytes) -> None:
        """Write a part of the body, or of anything else."""
        await send(self._number, part)

    async def refuse(self, error: GpuQuotaError) -> None:
        """Say why there is no answer, and read what is still being sent."""
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
            await self.take_body(head(first, headers) + body)
        await self.linger()

    async def linger(self) -> None:
        """Let the browser finish sending: one that is cut off never sees the answer."""
        with suppress(OSError, TimeoutError):
            self.stream.socket.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(_LINGER):
                await discard(self._number)

    def close(self) -> None:
        """Hang up."""
        os.close(self._number)
        self.stream.close()


async def carry(browser: Bare, line: IOStream, method: str, size: int) -> None:
    """Move a body of `size` bytes to the session, and its answer back meanwhile."""
    answer = Answer(line, method, browser, move=False)
    reading = asyncio.ensure_future(answer.read())
    moving = asyncio.ensure_future(pump(browser.stream, line, size))
    try:
        await asyncio.wait([reading, moving], return_when=asyncio.FIRST_COMPLETED)
        early = not moving.done()
        broke_off = not early and moving.exception() is not None
        if broke_off and not line.closed():
            # Either side hung up. The session learns that no more comes; it may have answered.
            _end_writing(line)
        await reading
        moving.cancel()
        if not answer.began:
            await browser.refuse(SILENT)
        elif early or broke_off:
            await browser.linger()
    finally:
        for task in (reading, moving):
            task.cancel()
        await asyncio.gather(reading, moving, return_exceptions=True)
        line.close()
        browser.close()


def _end_writing(line: IOStream) -> None:
    """End one direction of a connection; an encrypted one has only a whole end."""
    if not is_plain(line):
        line.close()
        return
    with suppress(OSError):
        line.socket.shutdown(socket.SHUT_WR)
