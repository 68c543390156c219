"""WebSocket handshakes of kernel channels (RFC 6455, 4.2)."""

from __future__ import annotations

from tornado.httputil import HTTPHeaders
from tornado.websocket import WebSocketProtocol13

from ....errors import InvalidRequest


def offered_subprotocols(headers: HTTPHeaders) -> list[str]:
    """Return the subprotocols that a browser offers."""
    return [name.strip() for name in headers.get("Sec-WebSocket-Protocol", "").split(",")]


def without_extensions(headers: HTTPHeaders) -> HTTPHeaders:
    """Return a browser's headers without extensions: compressed frames cannot be replayed."""
    kept = headers.copy()
    kept.pop("Sec-WebSocket-Extensions", None)
    return kept


def acceptance(headers: HTTPHeaders, protocol: str) -> HTTPHeaders:
    """Return the headers that accept a browser on an existing channel.

    Raises InvalidRequest for a handshake that violates RFC 6455.
    """
    key = headers.get("Sec-WebSocket-Key", "")
    if not key or headers.get("Sec-WebSocket-Version") != "13":
        raise InvalidRequest("Not a WebSocket handshake of version 13.")
    accepted = HTTPHeaders({"Sec-WebSocket-Accept": WebSocketProtocol13.compute_accept_value(key)})
    if protocol:
        accepted["Sec-WebSocket-Protocol"] = protocol
    return accepted
