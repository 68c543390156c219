"""The small server that every proxy leads to: `python upstream.py PORT`.

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
    """Answer with a few bytes."""

    def get(self) -> None:
        """Answer at once."""
        self.write(b"ok")


class Down(RequestHandler):
    """Send as many bytes as asked for."""

    async def get(self, size: str) -> None:
        """Send block after block, none before the last has left."""
        left = int(size)
        self.set_header("Content-Length", str(left))
        while left:
            block = BLOCK[:left]
            self.write(block)
            left -= len(block)
            await self.flush()


@stream_request_body
class Up(RequestHandler):
    """Count the bytes that arrive."""

    received = 0

    def data_received(self, chunk: bytes) -> None:
        """Count a part of the body."""
        self.received += len(chunk)

    def post(self) -> None:
        """Answer with the count."""
        self.write(f"received={self.received}")

    def check_xsrf_cookie(self) -> None:
        """Ask for no cookie: there is nothing to protect."""


class Echo(WebSocketHandler):
    """Send every message back."""

    def check_origin(self, origin: str) -> bool:
        """Let every page in: there is nothing to protect."""
        return True

    async def on_message(self, message: str | bytes) -> None:
        """Send it back as it came."""
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
