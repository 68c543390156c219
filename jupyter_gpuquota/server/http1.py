"""Speak HTTP/1.1 as a client over tornado's streams, and keep connections open for the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from tornado.http1connection import HTTP1Connection, HTTP1ConnectionParameters
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream, StreamClosedError

Connect = Callable[[], Awaitable[IOStream]]

ANY_SIZE = 1 << 62
CHUNK = 256 * 1024


class Connections:
    """Lend connections to peers, and keep those that come back for a while."""

    def __init__(self, per_peer: int = 16, seconds: float = 60) -> None:
        self._per_peer = per_peer
        self._seconds = seconds
        self._idle: dict[Hashable, list[tuple[IOStream, float]]] = {}

    async def borrow(self, peer: Hashable, connect: Connect) -> IOStream:
        """Return a connection, a kept one if there is one."""
        kept = self._idle.get(peer, [])
        while kept:
            stream, since = kept.pop()
            stream.set_close_callback(None)
            if not stream.closed() and time.monotonic() - since < self._seconds:
                return stream
            stream.close()
        return await connect()

    def give_back(self, peer: Hashable, stream: IOStream) -> None:
        """Keep a connection whose last answer was read to its end."""
        kept = self._idle.setdefault(peer, [])
        if stream.closed() or len(kept) >= self._per_peer:
            stream.close()
            return
        kept.append((stream, time.monotonic()))
        # A peer that hangs up is noticed at once, so that nobody writes into the void.
        stream.set_close_callback(lambda: self._lose(peer, stream))

    def drop(self, peer: Hashable) -> None:
        """Close what is kept for a peer."""
        for stream, _ in self._idle.pop(peer, []):
            stream.close()

    def close(self) -> None:
        """Close everything that is kept."""
        for peer in list(self._idle):
            self.drop(peer)

    def _lose(self, peer: Hashable, stream: IOStream) -> None:
        kept = [pair for pair in self._idle.get(peer, []) if pair[0] is not stream]
        if kept:
            self._idle[peer] = kept
        else:
            self._idle.pop(peer, None)


def client(stream: IOStream) -> HTTP1Connection:
    """Return one request's worth of HTTP on a stream; bodies may be of any size."""
    parameters = HTTP1ConnectionParameters(max_body_size=ANY_SIZE, chunk_size=CHUNK)
    return HTTP1Connection(stream, is_client=True, params=parameters)


def stays_open(start: ResponseStartLine, headers: HTTPHeaders) -> bool:
    """Tell whether the peer takes another request after this answer."""
    asked = headers.get("Connection", "").lower()
    framed = start.code in (204, 304) or "Content-Length" in headers or _chunked(headers)
    return start.version == "HTTP/1.1" and "close" not in asked and framed


def _chunked(headers: HTTPHeaders) -> bool:
    return "chunked" in headers.get("Transfer-Encoding", "").lower()


@dataclass(slots=True)
class Response(HTTPMessageDelegate):
    """Collect a whole answer; for answers of a bounded size only."""

    status: int = 0
    headers: HTTPHeaders = field(default_factory=HTTPHeaders)
    body: bytearray = field(default_factory=bytearray)
    reusable: bool = False
    complete: bool = False

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Note status and headers."""
        start = cast("ResponseStartLine", start_line)
        self.status, self.headers = start.code, headers
        self.reusable = stays_open(start, headers)

    def data_received(self, chunk: bytes) -> None:
        """Append a part of the body."""
        self.body += chunk

    def finish(self) -> None:
        """Note that nothing is missing."""
        self.complete = True


class _Parts(HTTPMessageDelegate):
    """An answer whose body is taken while it comes."""

    def __init__(self) -> None:
        self.head = Response()
        self.queue: asyncio.Queue[bytes] = asyncio.Queue()
        self.begun = asyncio.Event()

    async def read(self, connection: HTTP1Connection) -> None:
        """Read to the end, which is an empty part."""
        try:
            with suppress(StreamClosedError):  # `head` is not complete then
                await connection.read_response(self)
        finally:
            self.begun.set()
            self.queue.put_nowait(b"")

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Note status and headers."""
        self.head.headers_received(start_line, headers)
        self.begun.set()

    async def data_received(self, chunk: bytes) -> None:
        """Hand a part on, and read no further before it was taken."""
        self.queue.put_nowait(chunk)
        await self.queue.join()

    def finish(self) -> None:
        """Note that nothing is missing."""
        self.head.finish()


async def fetch_parts(
    stream: IOStream, method: str, target: str, headers: HTTPHeaders, body: bytes = b""
) -> tuple[Response, AsyncGenerator[bytes]]:
    """Send a request; return the head of the answer, and its body in parts as they come.

    Both raise StreamClosedError if the answer is cut off. The stream is good for nothing else.
    """
    connection, parts = client(stream), _Parts()
    headers["Content-Length"] = str(len(body))
    connection.write_headers(RequestStartLine(method, target, "HTTP/1.1"), headers, body or None)
    connection.finish()
    reading = asyncio.ensure_future(parts.read(connection))
    try:
        await parts.begun.wait()
    except BaseException:
        reading.cancel()
        raise
    if not parts.head.status:
        raise StreamClosedError
    return parts.head, _taken(stream, parts, reading)


async def _taken(
    stream: IOStream, parts: _Parts, reading: asyncio.Future[None]
) -> AsyncGenerator[bytes]:
    try:
        while part := await parts.queue.get():
            yield part
            parts.queue.task_done()
        if not parts.head.complete:
            raise StreamClosedError
    finally:
        reading.cancel()
        stream.close()


async def fetch(
    stream: IOStream, method: str, target: str, headers: HTTPHeaders, body: bytes = b""
) -> Response:
    """Send a request and return the whole answer. Raises StreamClosedError if it is cut off."""
    connection = client(stream)
    response = Response()
    if body or method != "GET":
        headers["Content-Length"] = str(len(body))
    start = RequestStartLine(method, target, "HTTP/1.1")
    connection.write_headers(start, headers, body or None)
    connection.finish()
    await connection.read_response(response)
    if not response.complete:
        raise StreamClosedError
    if not stream.closed():
        connection.detach()
    return response
