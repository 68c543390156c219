"""An S3 server in memory that fails as real ones do: on purpose, and when it is told to."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Literal
from urllib.parse import unquote
from xml.sax.saxutils import escape, unescape

from tornado.httpserver import HTTPServer
from tornado.iostream import StreamClosedError
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

Kind = Literal[
    "busy", "reset", "truncated", "flipped", "slow", "hangs", "expired", "skewed", "denied", "lost"
]

REFUSALS = {
    "busy": (503, "SlowDown"),
    "expired": (400, "ExpiredToken"),
    "skewed": (403, "RequestTimeTooSkewed"),
    "denied": (403, "AccessDenied"),
}
DELAY = 0.2
PAGE = 7
"""Keys in one page of a listing: few, so that listings have several pages."""


@dataclass
class Fault:
    """What goes wrong, in which requests, and how often.

    `lost` carries a request out, and closes the connection instead of answering.
    """

    kind: Kind
    methods: str = "GET PUT HEAD DELETE POST"
    key: str = ""
    times: int = 1_000_000

    def strikes(self, method: str, key: str) -> bool:
        """Return whether a request fails, and count it."""
        hit = self.times > 0 and method in self.methods and re.search(self.key, key) is not None
        self.times -= hit
        return hit


@dataclass
class Faulty:
    """The server's objects by key, its faults, and how many requests of each method came."""

    endpoint: str = ""
    objects: dict[str, tuple[bytes, datetime]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to let requests go on that wait."""
    before: Callable[[], None] | None = None
    """Called before each request is answered."""
    skew: timedelta = timedelta(0)
    """How far the server's clock is ahead of ours."""

    def now(self) -> datetime:
        return datetime.now(UTC) + self.skew

    def age(self, prefix: str, by: timedelta) -> None:
        """Let objects be older than they are."""
        for key, (body, written) in self.objects.items():
            if key.startswith(prefix):
                self.objects[key] = (body, written - by)


class Handler(RequestHandler):
    """One request; the first part of its path is the bucket."""

    def initialize(self, server: Faulty) -> None:
        self.server = server
        self.fault: Kind | None = None

    async def prepare(self) -> None:
        method, key = self.request.method or "", self.key
        self.server.requests[method] += 1
        if self.server.before:
            self.server.before()
        struck = (fault.kind for fault in self.server.faults if fault.strikes(method, key))
        self.fault = next(struck, None)
        if self.fault in {"slow", "hangs"}:
            await self._delayed()
        elif self.fault == "reset":
            self.detach().close()
        elif self.fault in REFUSALS:
            status, code = REFUSALS[self.fault]
            self.set_status(status)
            self.finish(f"<Error><Code>{code}</Code><Message>{code}</Message></Error>")

    async def _delayed(self) -> None:
        """Wait a moment; where the server hangs, until it is released."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DELAY if self.fault == "slow" else 3600):
                await self.server.release.wait()

    @property
    def key(self) -> str:
        return unquote(self.request.path).split("/", 2)[-1] if self.request.path != "/b" else ""

    async def head(self, _path: str) -> None:
        await self.get(_path)

    async def get(self, _path: str) -> None:
        if self.get_query_argument("list-type", ""):
            await self.answer(self.listing())
            return
        if self.key not in self.server.objects:
            self.set_status(404)
            await self.answer(b"<Error><Code>NoSuchKey</Code></Error>")
            return
        body, written = self.server.objects[self.key]
        self.set_header("Last-Modified", format_datetime(written, usegmt=True))
        self.set_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.request.headers.get("Range", "")):
            start, end = int(wanted[1]), int(wanted[2] or len(body) - 1) + 1
            self.set_status(206)
            self.set_header("Content-Range", f"bytes {start}-{min(end, len(body)) - 1}/{len(body)}")
            body = body[start:end]
        await self.answer(body)

    async def put(self, _path: str) -> None:
        if self.request.headers.get("If-None-Match") == "*" and self.key in self.server.objects:
            self.set_status(412)
            await self.answer(b"<Error><Code>PreconditionFailed</Code></Error>")
            return
        self.server.objects[self.key] = (self.request.body, self.server.now())
        self.set_header("ETag", f'"{hashlib.sha256(self.request.body).hexdigest()}"')
        await self.answer(b"")

    async def delete(self, _path: str) -> None:
        self.server.objects.pop(self.key, None)
        self.set_status(204)
        await self.answer(b"")

    async def post(self, _path: str) -> None:
        """Delete several objects."""
        keys = [
            unescape(key.decode()) for key in re.findall(rb"<Key>(.*?)</Key>", self.request.body)
        ]
        for key in keys:
            self.server.objects.pop(key, None)
        rows = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
        await self.answer(f"<DeleteResult>{rows}</DeleteResult>".encode())

    def listing(self) -> bytes:
        prefix = self.get_query_argument("prefix", "")
        after = self.get_query_argument("continuation-token", "")
        keys = sorted(key for key in self.server.objects if key.startswith(prefix) and key > after)
        page = keys[:PAGE]
        more = len(keys) > PAGE
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
        return (
            "<ListBucketResult><Name>b</Name>"
            f"<IsTruncated>{str(more).lower()}</IsTruncated>{token}"
            f"{''.join(map(self.row, page))}</ListBucketResult>"
        ).encode()

    def row(self, key: str) -> str:
        body, written = self.server.objects[key]
        return (
            f"<Contents><Key>{escape(key)}</Key><Size>{len(body)}</Size><ETag>&quot;e&quot;</ETag>"
            f"<LastModified>{written:%Y-%m-%dT%H:%M:%S.000Z}</LastModified></Contents>"
        )

    async def answer(self, body: bytes) -> None:
        if self.fault == "lost":
            self.detach().close()
        elif self.fault == "truncated" and body:
            stream = self.detach()
            head = f"HTTP/1.1 {self.get_status()} OK\r\nContent-Length: {len(body)}\r\n"
            lines = "".join(f"{name}: {text}\r\n" for name, text in self._sent_headers())
            try:
                await stream.write(f"{head}{lines}\r\n".encode() + body[: len(body) // 2])
            except StreamClosedError:
                return
            stream.close()
        elif self.fault == "flipped" and body:
            self.finish(bytes([body[0] ^ 1]) + body[1:])
        else:
            self.finish(body)

    def _sent_headers(self) -> list[tuple[str, str]]:
        names = ("Last-Modified", "ETag", "Content-Range")
        return [(name, self._headers[name]) for name in names if name in self._headers]


@asynccontextmanager
async def running() -> AsyncIterator[Faulty]:
    """Run a server on a free port."""
    server = Faulty()
    http = HTTPServer(
        Application([("/(.*)", Handler, {"server": server})], log_function=lambda _: None),
        max_body_size=1 << 30,
        max_buffer_size=1 << 30,
    )
    sockets = bind_sockets(0, "127.0.0.1")
    http.add_sockets(sockets)
    server.endpoint = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        http.stop()
        await http.close_all_connections()
