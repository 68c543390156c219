"""Many concurrent browsers: persistent connections that send requests, and WebSockets that echo."""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from ..errors import CouldNotMeasure

HOST = "127.0.0.1"
MESSAGE = os.urandom(64)
MESSAGES_PER_SECOND = 10
TEXT_FRAME = b"\x82" + bytes([len(MESSAGE)]) + MESSAGE
PATIENCE = 60.0


@dataclass
class Crowd:
    """The results of a crowd: seconds of each request and message, and the number of errors."""

    requests: list[float] = field(default_factory=list)
    messages: list[float] = field(default_factory=list)
    errors: int = 0

    def add(self, other: Crowd) -> None:
        """Add the results of another crowd."""
        self.requests += other.requests
        self.messages += other.messages
        self.errors += other.errors


class Browser(asyncio.Protocol):
    """One persistent connection that sends the next request after each response."""

    def __init__(self, request: bytes, crowd: Crowd, until: float) -> None:
        self._request = request
        self._crowd = crowd
        self._until = until
        self._came = b""
        self._sent = 0.0
        self._waiting = False
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = cast("asyncio.Transport", transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        """Count a complete response and send the next request."""
        self._came += data
        head, found, body = self._came.partition(b"\r\n\r\n")
        if not found or len(body) < 2:
            return
        now, self._waiting = time.perf_counter(), False
        if head.startswith(b"HTTP/1.1 200 ") and body == b"ok":
            self._crowd.requests.append(now - self._sent)
        else:
            self._crowd.errors += 1
        if now < self._until:
            self._ask()
        else:
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        """End; a pending request counts as an error."""
        if self._waiting:
            self._crowd.errors += 1
        self.done.set_result(None)

    def _ask(self) -> None:
        self._came, self._sent, self._waiting = b"", time.perf_counter(), True
        self._transport.write(self._request)


class Socket(Browser):
    """One WebSocket that sends a small message after each echo."""

    def data_received(self, data: bytes) -> None:
        """Count an echoed message and send the next one when due."""
        self._came += data
        if self._came.startswith(b"HTTP/"):
            head, found, self._came = self._came.partition(b"\r\n\r\n")
            if not found:
                self._came = head
            elif head.startswith(b"HTTP/1.1 101 "):
                self._send()
            else:
                self._fail()
            return
        if len(self._came) < len(TEXT_FRAME):
            return
        if self._came != TEXT_FRAME:
            self._fail()
            return
        now, self._waiting = time.perf_counter(), False
        self._crowd.messages.append(now - self._sent)
        if now < self._until:
            pause = max(0.0, 1 / MESSAGES_PER_SECOND - (now - self._sent))
            asyncio.get_running_loop().call_later(pause, self._send)
        else:
            self._transport.close()

    def _send(self) -> None:
        self._came, self._sent, self._waiting = b"", time.perf_counter(), True
        masked = bytes(byte ^ 1 for byte in MESSAGE)
        self._transport.write(b"\x82" + bytes([0x80 | len(MESSAGE)]) + b"\1\1\1\1" + masked)

    def _fail(self) -> None:
        self._crowd.errors += 1
        self._waiting = False
        self._transport.close()


async def visit(
    port: int,
    path: str,
    headers: Mapping[str, str],
    *,
    browsers: int,
    sockets: int,
    seconds: float,
) -> Crowd:
    """Run all clients concurrently for some seconds; return their results."""
    crowd, loop = Crowd(), asyncio.get_running_loop()
    until = time.perf_counter() + seconds
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Origin": f"http://{HOST}:{port}",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
    }
    ask = _head(port, f"{path}/small", headers)
    shake = _head(port, f"{path}/echo", {**headers, **upgrade})
    opened = await asyncio.gather(
        *(
            loop.create_connection(lambda: Browser(ask, crowd, until), HOST, port)
            for _ in range(browsers)
        ),
        *(
            loop.create_connection(lambda: Socket(shake, crowd, until), HOST, port)
            for _ in range(sockets)
        ),
    )
    ends = [protocol.done for _, protocol in opened]
    _, late = await asyncio.wait(ends, timeout=seconds + PATIENCE)
    if late:
        raise CouldNotMeasure(f"{len(late)} connections were not answered")
    return crowd


def _head(port: int, target: str, headers: Mapping[str, str]) -> bytes:
    fields = {"Host": f"{HOST}:{port}", **headers}
    lines = [f"GET {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
