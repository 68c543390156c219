"""Requests to the Jupyter Servers of sessions, which may listen on unix sockets."""

from __future__ import annotations

import socket
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.netutil import Resolver
from tornado.websocket import WebSocketClientConnection, websocket_connect

from jupyter_gpuquota.model.sessions import Endpoint


class _Unix(Resolver):
    """Finds a unix socket, whatever is asked for."""

    def initialize(self, path: str) -> None:
        self.path = path

    async def resolve(self, *_: Any) -> list[tuple[int, Any]]:
        return [(socket.AF_UNIX, self.path)]


def _resolver(endpoint: Endpoint) -> Resolver | None:
    return _Unix(endpoint.socket) if endpoint.socket else None


async def fetch(endpoint: Endpoint, path: str, **fields: Any) -> HTTPResponse:
    """Return the response to a request below the base URL."""
    client = AsyncHTTPClient(force_instance=True, resolver=_resolver(endpoint))
    try:
        return await client.fetch(f"http://{endpoint.authority}{endpoint.base_url}{path}", **fields)
    finally:
        client.close()


_opened: list[Any] = []


async def web_socket(endpoint: Endpoint, path: str) -> WebSocketClientConnection:
    """Open a WebSocket below the base URL, until `close_web_sockets`."""
    url = f"ws://{endpoint.authority}{endpoint.base_url}{path}"
    request = HTTPRequest(url, headers=endpoint.headers)
    made = await websocket_connect(request, resolver=_resolver(endpoint))
    _opened.append(made.protocol)  # which a WebSocket that is closed forgets
    return made


def close_web_sockets() -> None:
    """Close all WebSockets, without waiting for the other side."""
    while _opened:
        _opened.pop().stream.close()
