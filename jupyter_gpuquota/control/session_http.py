"""HTTP requests to the Jupyter Servers of sessions; they do not count as activity there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from tornado.httputil import HTTPHeaders
from tornado.iostream import IOStream, StreamClosedError
from tornado.tcpclient import TCPClient

from ..http1 import Response, connect_unix, fetch, verifying
from ..model.sessions import Endpoint

T = TypeVar("T")

_QUIETLY = "?no_track_activity=1"
_LARGEST = 16 * 2**20
_OK, _NOT_FOUND = 200, 404
_AGE = timedelta(seconds=10)
"""A difference that may be the age of the answer itself."""


class ServerConnection:
    """A connection to one Jupyter Server, which is kept open between requests.

    It sets no timeouts: a caller that gives up must close it.
    """

    def __init__(self, endpoint: Endpoint, stream: IOStream) -> None:
        self._endpoint = endpoint
        self._stream = stream
        self.behind = timedelta()
        """By how much the server's clock is behind ours, to the second."""

    @classmethod
    async def open(cls, endpoint: Endpoint) -> ServerConnection:
        """Connect, with TLS if the endpoint requires it. Raises OSError."""
        if endpoint.socket:
            return cls(endpoint, await connect_unix(Path(endpoint.socket)))
        tls = verifying(endpoint.ca) if endpoint.scheme == "https" else None
        stream = await TCPClient().connect(endpoint.host, endpoint.port, ssl_options=tls)
        return cls(endpoint, stream)

    async def get(self, path: str) -> Response:
        """Return the response to a GET of a path below the base URL.

        Raises OSError if the connection ends before the response, or it cannot be read.
        """
        to = self._endpoint
        headers = HTTPHeaders({"Host": to.authority, **to.headers})
        target = f"{to.base_url}{path}{_QUIETLY}"
        response = await fetch(self._stream, "GET", target, headers, limit=_LARGEST)
        found = _behind(response.headers.get("Date", ""))
        if abs(found - self.behind) > _AGE:  # it stays the same while the clocks run alike
            self.behind = found
        if not response.reusable:
            self.close()
        return response

    async def get_json(self, path: str, kind: type[T]) -> T | None:
        """Return the value at a path; None if there is none. Raises OSError, ValueError."""
        try:
            response = await self.get(path)
        except StreamClosedError as error:
            raise ConnectionError("the connection was closed without a valid response.") from error
        if response.status == _NOT_FOUND:
            return None
        if response.status != _OK:
            raise ValueError(f"it answers with status {response.status}.")
        return msgspec.json.decode(response.body, type=kind)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()


def _behind(date: str) -> timedelta:
    """Return by how much the clock of an answer is behind ours, nothing without a valid date."""
    try:
        found = datetime.now(UTC) - parsedate_to_datetime(date)
    except (ValueError, TypeError):
        return timedelta()
    return found if abs(found) > _AGE else timedelta()
