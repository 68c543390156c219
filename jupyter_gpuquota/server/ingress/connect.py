"""Connections to sessions, with TLS if their endpoint requires it."""

from __future__ import annotations

import ssl
from pathlib import Path

from tornado.iostream import IOStream
from tornado.tcpclient import TCPClient

from ...api import sockets
from ...errors import Unavailable
from ...http1 import verifying
from ...model.sessions import Endpoint


async def connect(endpoint: Endpoint) -> IOStream:
    """Return a new connection to an endpoint.

    Raises Unavailable if nothing listens there or its certificate is not trusted.
    """
    encrypted = endpoint.scheme == "https"
    try:
        if endpoint.socket:
            return await sockets.connect(Path(endpoint.socket))
        tls = verifying(endpoint.ca) if encrypted else None
        return await TCPClient().connect(endpoint.host, endpoint.port, ssl_options=tls)
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or error
        raise Unavailable(
            f"TLS connection to the session at {endpoint.authority} failed: {why}.",
            hint="Ask an administrator to check its certificate.",
        ) from error
    except OSError as error:
        raise Unavailable(
            "The session does not respond.", hint="It may have just ended; check its log."
        ) from error
