"""WebSockets in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from jupyter_gpuquota.kubernetes.api import Fault

Serve = Callable[["FakeSocket"], Awaitable[None]]


class FakeSocket:
    """A WebSocket; the test reads `sent` and pushes what the server says."""

    def __init__(self, protocol: str = "", room: int = 4) -> None:
        self.protocol = protocol
        self.sent: asyncio.Queue[bytes] = asyncio.Queue(room)
        self.closed = asyncio.Event()
        self._said: asyncio.Queue[bytes | None] = asyncio.Queue(room)

    async def say(self, *messages: bytes) -> None:
        """Send messages as the server; waits while the reader does not read."""
        for message in messages:
            await self._said.put(message)

    async def end(self) -> None:
        """Close as the server."""
        await self._said.put(None)

    async def send(self, message: bytes) -> None:
        """Take a message of the client."""
        if self.closed.is_set():
            raise Fault(0, "", "the connection is closed")
        await self.sent.put(message)

    async def receive(self) -> bytes | None:
        """Return what the server says next."""
        if self.closed.is_set():
            return None
        return await self._said.get()

    async def close(self) -> None:
        """Close as the client."""
        self.closed.set()


class Opened:
    """The WebSockets that were opened at a path of a fake API server, each served by `serve`.

    It is a value of `controls.sockets`.
    """

    def __init__(self, serve: Serve, protocol: str = "") -> None:
        self._serve = serve
        self._protocol = protocol
        self.queries: list[list[tuple[str, str]]] = []
        self.sockets: list[FakeSocket] = []
        self.tasks: list[asyncio.Future[None]] = []

    def __call__(self, query: Sequence[tuple[str, str]], protocols: Sequence[str]) -> FakeSocket:
        """Open a WebSocket."""
        socket = FakeSocket(self._protocol or protocols[0])
        self.queries.append(list(query))
        self.sockets.append(socket)
        self.tasks.append(asyncio.ensure_future(self._serve(socket)))
        return socket
