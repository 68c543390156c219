"""An HTTP/1.1 client over tornado streams."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import cast

from tornado.http1connection import HTTP1Connection, HTTP1ConnectionParameters
from tornado.httputil import (
    HTTPHeaders,
    HTTPMessageDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream, StreamClosedError

from .unix_paths import short

ANY_SIZE = 1 << 62
CHUNK = 256 * 1024
_BUSY_PAUSE = 0.01


@lru_cache(maxsize=64)
def verifying(ca: str) -> ssl.SSLContext:
    """Return a TLS context that trusts a CA certificate (PEM), the system's if empty."""
    return ssl.create_default_context(cadata=ca or None)


async def connect_unix(path: Path) -> IOStream:
    """Connect to a unix socket when its listener's backlog has room. Raises OSError."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(0)
        with short(path) as address:
            await _connect(connection, address)
    except BaseException:
        connection.close()
        raise
    return IOStream(connection)


async def _connect(connection: socket.socket, address: str) -> None:
    while True:
        try:
            return connection.connect(address)
        except BlockingIOError:  # the backlog is full: unix sockets refuse where TCP would wait
            await asyncio.sleep(_BUSY_PAUSE)


def client(stream: IOStream, limit: int = ANY_SIZE) -> HTTP1Connection:
    """Return a connection for one request on a stream, and bodies of at most `limit` bytes."""
    parameters = HTTP1ConnectionParameters(max_body_size=limit, chunk_size=CHUNK)
    return HTTP1Connection(stream, is_client=True, params=parameters)


def stays_open(start: ResponseStartLine, headers: HTTPHeaders) -> bool:
    """Return whether the peer accepts another request after this response."""
    connection = headers.get("Connection", "").lower()
    framed = start.code in (204, 304) or "Content-Length" in headers or _chunked(headers)
    return start.version == "HTTP/1.1" and "close" not in connection and framed


def _chunked(headers: HTTPHeaders) -> bool:
    return "chunked" in headers.get("Transfer-Encoding", "").lower()


@dataclass(slots=True)
class Response(HTTPMessageDelegate):
    """A whole response in memory; for responses of bounded size only."""

    status: int = 0
    headers: HTTPHeaders = field(default_factory=HTTPHeaders)
    body: bytearray = field(default_factory=bytearray)
    reusable: bool = False
    complete: bool = False

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Store status and headers."""
        start = cast("ResponseStartLine", start_line)
        self.status, self.headers = start.code, headers
        self.reusable = stays_open(start, headers)

    def data_received(self, chunk: bytes) -> None:
        """Append a part of the body."""
        self.body += chunk

    def finish(self) -> None:
        """Mark the response as complete."""
        self.complete = True


class _Parts(HTTPMessageDelegate):
    """A response whose body is consumed while it arrives."""

    def __init__(self) -> None:
        self.head = Response()
        self.queue: asyncio.Queue[bytes] = asyncio.Queue()
        self.begun = asyncio.Event()

    async def read(self, connection: HTTP1Connection) -> None:
        """Read to the end and queue an empty part as the end marker."""
        try:
            with suppress(StreamClosedError):  # `head` is not complete then
                await connection.read_response(self)
        finally:
            self.begun.set()
            self.queue.put_nowait(b"")

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> None:
        """Store status and headers."""
        self.head.headers_received(start_line, headers)
        self.begun.set()

    async def data_received(self, chunk: bytes) -> None:
        """Queue a part and wait until it is consumed."""
        self.queue.put_nowait(chunk)
        await self.queue.join()

    def finish(self) -> None:
        """Mark the response as complete."""
        self.head.finish()


async def fetch_parts(
    stream: IOStream, method: str, target: str, headers: HTTPHeaders, body: bytes = b""
) -> tuple[Response, AsyncGenerator[bytes]]:
    """Send a request; return the response head, and its body in parts as they arrive.

    Both raise StreamClosedError if the response is cut off. The stream cannot be reused.
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
    return parts.head, _stream_parts(stream, parts, reading)


async def _stream_parts(
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
    stream: IOStream,
    method: str,
    target: str,
    headers: HTTPHeaders,
    body: bytes = b"",
    limit: int = ANY_SIZE,
) -> Response:
    """Send a request and return the whole response, with a body of at most `limit` bytes.

    Raises StreamClosedError if it is cut off, too large or not HTTP.
    """
    connection = client(stream, limit)
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
