"""The small server behind every proxy: `python upstream.py PORT`.

Paths are matched by their end, because some proxies keep the prefix and some cut it off.
Standard library and Tornado only: it is copied into a session's folder.
"""

from __future__ import annotations

import asyncio
import sys

from tornado.httpserver import HTTPServer
from tornado.web import Application, RequestHandler, stream_request_body
from tornado.websocket import WebSocketHandler

# What Tornado itself reads and writes at a time: so do Jupyter's own handlers.
BLOCK = bytes(64 * 1024)
LARGEST = 8 * 1024**3


class Small(RequestHandler):
    """Responds with a few bytes."""

    def get(self) -> None:
        """Respond at once."""
        self.write(b"ok")


class Down(RequestHandler):
    """Sends as many bytes as requested."""

    async def get(self, size: str) -> None:
        """Send block by block, each after the previous one has left."""
        left = int(size)
        self.set_header("Content-Length", str(left))
        while left:
            block = BLOCK[:left]
            self.write(block)
            left -= len(block)
            await self.flush()


@stream_request_body
class Up(RequestHandler):
    """Counts the bytes that arrive."""

    received = 0

    def data_received(self, chunk: bytes) -> None:
        """Count a part of the body."""
        self.received += len(chunk)

    def post(self) -> None:
        """Respond with the count."""
        self.write(f"received={self.received}")

    def check_xsrf_cookie(self) -> None:
        """Accept requests without an XSRF cookie: this server has no data to protect."""


class Echo(WebSocketHandler):
    """Echoes every message."""

    def check_origin(self, origin: str) -> bool:
        """Allow every origin: this server has no data to protect."""
        return True

    async def on_message(self, message: str | bytes) -> None:
        """Echo the message."""
        await self.write_message(message, binary=isinstance(message, bytes))


async def serve(port: int) -> None:
    """Serve on loopback until killed."""
    application = Application(
        [
            (r".*/small", Small),
            (r".*/down/(\d+)", Down),
            (r".*/up", Up),
            (r".*/echo", Echo),
        ]
    )
    server = HTTPServer(application, max_body_size=LARGEST)
    server.listen(port, "127.0.0.1")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
