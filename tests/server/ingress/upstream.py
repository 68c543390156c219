"""A program such as a session may run: it shows what reached it, and behaves oddly on request."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tornado import web
from tornado.websocket import WebSocketHandler

from tests.server.ingress.kernel_upstream import Channels, FakeKernel

MIB = 1024 * 1024


class Show(web.RequestHandler):
    """Show the request as it came."""

    def answer(self, *_: str) -> None:
        body = {
            "method": self.request.method,
            "uri": self.request.uri,
            "headers": sorted(self.request.headers.get_all()),
            "body": self.request.body.decode(),
        }
        self.add_header("Set-Cookie", "planted=1")
        self.add_header("Access-Control-Allow-Origin", "http://evil.example")
        self.add_header("Service-Worker-Allowed", "/")
        self.add_header("X-Several", "1")
        self.add_header("X-Several", "2")
        self.write(json.dumps(body))

    get = post = put = patch = delete = options = answer

    def head(self, *_: str) -> None:
        self.set_header("X-Head", "yes")


class Count(web.RequestHandler):
    """Count a body without keeping it; send one of a wanted size."""

    def prepare(self) -> None:
        self.request.connection.set_max_body_size(1 << 40)
        self.received = 0

    async def data_received(self, chunk: bytes) -> None:
        self.received += len(chunk)

    def put(self) -> None:
        self.write(str(self.received))

    post = put

    async def get(self) -> None:
        chunk = b"x" * MIB
        for _ in range(int(self.get_argument("mib"))):
            self.write(chunk)
            await self.flush()


Count = web.stream_request_body(Count)


class Events(web.RequestHandler):
    """Send one event, then keep silent until the test allows the next."""

    async def get(self) -> None:
        self.set_header("Content-Type", "text/event-stream")
        self.write("data: first\n\n")
        await self.flush()
        await self.settings["more"].wait()
        self.write("data: second\n\n")


class Redirect(web.RequestHandler):
    def get(self) -> None:
        self.redirect(self.get_argument("to"), status=302)


class Odd(web.RequestHandler):
    """Answer with a status alone, or hang up in the middle."""

    def get(self) -> None:
        status = int(self.get_argument("status"))
        if status:
            self.set_status(status)
            self.finish()
            return
        self.set_header("Content-Length", "1000")
        self.write("only this")
        self.flush()
        self.request.connection.stream.close()


class Socket(WebSocketHandler):
    """Echo; tell the handshake's headers on request; close with a wanted code."""

    def check_origin(self, origin: str) -> bool:
        return True

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        return subprotocols[-1] if subprotocols else None

    async def on_message(self, message: str | bytes) -> None:
        if message == "headers":
            await self.write_message(json.dumps(sorted(self.request.headers.get_all())))
        elif message == "close":
            self.close(4321, "as asked")
        else:
            await self.write_message(message, binary=isinstance(message, bytes))


class NoSocket(web.RequestHandler):
    def get(self) -> None:
        raise web.HTTPError(418)


def make_upstream(prefix: str = "") -> web.Application:
    """Return the program; `prefix` is where a Jupyter-like one has its base URL."""
    routes: list[Any] = [
        ("/count", Count),
        ("/events", Events),
        ("/redirect", Redirect),
        ("/odd", Odd),
        ("/socket", Socket),
        ("/nosocket", NoSocket),
        ("/api/kernels/fake/channels", Channels),
        ("/api/kernels/[^/]+/channels", Socket),
        ("/terminals/websocket/1", Socket),
        ("/api/events/subscribe", Socket),
        ("(.*)", Show),
    ]
    return web.Application(
        [(f"{prefix}{path}", handler) for path, handler in routes],
        more=asyncio.Event(),
        kernel=FakeKernel(),
        websocket_max_message_size=64 * MIB,
    )
