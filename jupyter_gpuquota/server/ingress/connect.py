"""Connections to sessions, encrypted where their endpoint says so."""

from __future__ import annotations

import ssl
from functools import lru_cache

from tornado.iostream import IOStream
from tornado.tcpclient import TCPClient

from ...errors import Unavailable
from ...model.sessions import Endpoint


async def connect(endpoint: Endpoint) -> IOStream:
    """Return a new connection to an endpoint.

    Raises Unavailable if nothing listens there, or if its certificate is not to be trusted.
    """
    encrypted = endpoint.scheme == "https"
    try:
        tls = _verifying(endpoint.ca) if encrypted else None
        return await TCPClient().connect(endpoint.host, endpoint.port, ssl_options=tls)
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or error
        raise Unavailable(
            f"No encrypted connection to the session at {endpoint.authority}: {why}.",
            hint="Ask an admin to look at its certificate.",
        ) from error
    except OSError as error:
        raise Unavailable(
            "The session does not answer.", hint="It may have just ended; look at its log."
        ) from error


@lru_cache(maxsize=64)
def _verifying(ca: str) -> ssl.SSLContext:
    """Return a context that trusts an authority, the system's if it is empty."""
    return ssl.create_default_context(cadata=ca or None)
