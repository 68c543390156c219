"""Large bodies over a bare socket, to keep the client's cost low."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Mapping

from ..errors import CouldNotMeasure

BLOCK = bytes(1024 * 1024)
HEADERS = re.compile(rb"HTTP/1\.1 (\d+) .*?\r\n\r\n", re.DOTALL)


def download(port: int, path: str, size: int, headers: Mapping[str, str]) -> float:
    """GET `size` bytes and return the seconds taken. Raises CouldNotMeasure if fewer come."""
    started = time.perf_counter()
    with _connect(port) as connection:
        connection.sendall(_head("GET", path, headers))
        received, buffer = 0, bytearray(len(BLOCK))
        first = b""
        while count := connection.recv_into(buffer):
            if not received:
                first = bytes(buffer[:count])
            received += count
    _check(first)
    if received < size:
        raise CouldNotMeasure(f"{received} of {size} bytes arrived")
    return time.perf_counter() - started


def upload(port: int, path: str, size: int, headers: Mapping[str, str]) -> float:
    """POST `size` bytes and return the seconds taken. Raises CouldNotMeasure if fewer arrive."""
    started = time.perf_counter()
    with _connect(port) as connection:
        try:
            connection.sendall(_head("POST", path, {**headers, "Content-Length": str(size)}))
            left = size
            while left:
                block = BLOCK[:left]
                connection.sendall(block)
                left -= len(block)
        except OSError as problem:
            # The refusal may have been sent before the connection was closed.
            raise CouldNotMeasure(f"the upload broke off: {problem}") from None
        answer = b""
        while part := connection.recv(65536):
            answer += part
    _check(answer)
    if f"received={size}".encode() not in answer:
        raise CouldNotMeasure(f"not all of {size} bytes arrived")
    return time.perf_counter() - started


def _connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=120)


def _head(method: str, path: str, headers: Mapping[str, str]) -> bytes:
    fields = {"Host": "127.0.0.1", "Connection": "close", **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _check(answer: bytes) -> None:
    """Raise CouldNotMeasure unless the response is a success."""
    found = HEADERS.match(answer)
    if found is None:
        raise CouldNotMeasure("the connection was closed without an answer")
    if found.group(1) != b"200":
        raise CouldNotMeasure(f"the answer was {found.group(1).decode()}")
