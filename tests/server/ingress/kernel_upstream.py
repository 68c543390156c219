"""A kernel behind a session's Jupyter Server, and a page that talks to it byte by byte."""

from __future__ import annotations

import asyncio
import base64
from contextlib import suppress
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.tcpclient import TCPClient
from tornado.websocket import WebSocketHandler

from jupyter_gpuquota.server.ingress.protocol.frame_splitter import FramePart, FrameSplitter, Opcode
from tests.server.ingress.protocol.test_message_sniffer import frame

V1 = "v1.kernel.websocket.jupyter.org"


def masked(code: int, payload: bytes) -> bytes:
    """Return a frame as browsers send it."""
    mask = b"mask"
    hidden = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return frame(code, hidden)


class FakeKernel:
    """One kernel: its connections and received messages."""

    def __init__(self) -> None:
        self.connections: list[Channels] = []
        self.clients: list[str] = []
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()
        self.answered = asyncio.Event()
        """Set once somebody has answered a ping."""

    async def say(self, *messages: bytes) -> None:
        """Broadcast, as a kernel does on iopub."""
        for message in messages:
            for connection in list(self.connections):
                await connection.write_message(message, binary=True)


class Channels(WebSocketHandler):
    """The kernel's channels."""

    @property
    def kernel(self) -> FakeKernel:
        kernel: FakeKernel = self.settings["kernel"]
        return kernel

    def check_origin(self, origin: str) -> bool:
        return True

    def get_compression_options(self) -> dict[str, Any]:
        return {}  # agreed to where it is offered

    def select_subprotocol(self, subprotocols: list[str]) -> str | None:
        return V1 if V1 in subprotocols else None

    def open(self, *_: str) -> None:
        self.kernel.connections.append(self)
        self.kernel.clients.append(self.get_argument("session_id", ""))

    async def on_message(self, message: str | bytes) -> None:
        self.kernel.heard.put_nowait(message if isinstance(message, bytes) else b"")

    def on_pong(self, data: bytes) -> None:
        self.kernel.answered.set()

    def on_close(self) -> None:
        self.kernel.connections.remove(self)


class Page:
    """A browser's end of a WebSocket; it answers pings while it is `awake`."""

    def __init__(
        self, url: str, token: str, cookie: str, *, protocol: str = V1, host: str = ""
    ) -> None:
        self._url = url
        self._host = host
        self._login = [f"Cookie: {cookie}"]
        if token:
            self._login.append(f"Authorization: token {token}")
        self._protocol = protocol
        self._cutter = FrameSplitter(1 << 30)
        self._pieces: list[FramePart] = []
        self.awake = True
        self.answer = ""
        self.closed_with: bytes | None = None

    async def connect(self) -> Page:
        """Shake hands."""
        host, _, path = self._url.removeprefix("ws://").partition("/")
        name, port = host.split(":")
        seen = self._host or host
        self._stream = await TCPClient().connect(name, int(port))
        lines = [
            f"GET /{path} HTTP/1.1",
            f"Host: {seen}",
            f"Origin: http://{seen}",
            *self._login,
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(b'0123456789abcdef').decode()}",
            "Sec-WebSocket-Extensions: permessage-deflate",
            *([f"Sec-WebSocket-Protocol: {self._protocol}"] if self._protocol else []),
        ]
        await self._stream.write("\r\n".join([*lines, "", ""]).encode())
        self.answer = (await self._stream.read_until(b"\r\n\r\n")).decode()
        return self

    async def send(self, payload: bytes, code: int = Opcode.BINARY) -> None:
        await self._stream.write(masked(code, payload))

    async def send_part(self, payload: bytes, size: int) -> None:
        """Send the beginning of a message only."""
        await self._stream.write(masked(Opcode.BINARY, payload)[:size])

    async def receive(self) -> bytes:
        """Return the next message. Raises StreamClosedError at the end."""
        while True:
            while self._pieces:
                piece = self._pieces.pop(0)
                if piece.is_message:
                    return piece.payload
                await self._obey(piece)
            part = await self._stream.read_bytes(1 << 16, partial=True)
            self._pieces += self._cutter.feed(part)

    async def _obey(self, piece: FramePart) -> None:
        if piece.code == Opcode.PING and self.awake:
            await self.send(piece.payload, Opcode.PONG)
        if piece.code == Opcode.CLOSE:
            self.closed_with = piece.payload

    async def read_on(self) -> None:
        """Read to the end."""
        while True:
            await self.receive()

    async def leave(self, code: int | None) -> None:
        """Close as a browser does; without a code as a page that calls `close()`."""
        await self.send(b"" if code is None else code.to_bytes(2, "big"), Opcode.CLOSE)
        with suppress(StreamClosedError):
            await self.read_on()

    def vanish(self) -> None:
        """Hang up without a word."""
        self._stream.close()
