"""A minimal HTTP client: one persistent connection over TCP or a unix socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPMessage
from typing import Any

from ..errors import CouldNotMeasure


class UnixConnection(HTTPConnection):
    """An HTTP connection over a unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self._path)


def connect(port: int) -> HTTPConnection:
    """Open a connection to a port of this machine, without delays for small packets."""
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Caller:
    """A client of one server with one connection and fixed headers."""

    def __init__(
        self, connection: HTTPConnection, base: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        self._connection = connection
        self._base = base
        self._headers = dict(headers or {})

    def status(self, path: str, headers: Mapping[str, str] | None = None) -> int:
        """GET, drop the body and return the status."""
        status, _, _ = self.request("GET", path, headers=headers)
        return status

    def get(self, path: str) -> Any:
        """GET and return the decoded response. Raises CouldNotMeasure unless it succeeds."""
        return self._decoded("GET", path)

    def post(self, path: str, body: object = None) -> Any:
        """POST and return the decoded response. Raises CouldNotMeasure unless it succeeds."""
        return self._decoded("POST", path, json.dumps(body or {}).encode())

    def put(self, path: str, body: object) -> Any:
        """PUT and return the decoded response. Raises CouldNotMeasure unless it succeeds."""
        return self._decoded("PUT", path, json.dumps(body).encode())

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, HTTPMessage, bytes]:
        """Return status, headers and body."""
        merged = {**self._headers, **(headers or {})}
        self._connection.request(method, self._base + path, body=body, headers=merged)
        with self._connection.getresponse() as response:
            return response.status, response.headers, response.read()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _decoded(self, method: str, path: str, body: bytes | None = None) -> Any:
        status, _, answer = self.request(
            method, path, body, {"Content-Type": "application/json"} if body else None
        )
        if not 200 <= status < 300:
            problem = " ".join(answer[:300].decode(errors="replace").split())
            raise CouldNotMeasure(f"{method} {self._base}{path} answered {status}: {problem}")
        return json.loads(answer)


def answers(port: int, path: str, headers: Mapping[str, str]) -> bool:
    """Return whether a GET on a new connection returns 200."""
    try:
        caller = Caller(connect(port), headers=headers)
    except OSError:
        return False
    try:
        return caller.status(path) == 200
    except (OSError, HTTPException):
        return False
    finally:
        caller.close()
