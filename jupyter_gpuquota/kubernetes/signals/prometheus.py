"""A Prometheus, or what speaks its query API (Thanos, Mimir, VictoriaMetrics)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

import msgspec
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.simple_httpclient import SimpleAsyncHTTPClient

from . import measured
from .measured import Measured, Pod

T = TypeVar("T")

_log = logging.getLogger(__name__)

SECONDS = 10.0
"""How long an answer may take."""
_LARGEST = 64 * 2**20


class Prometheus:
    """Asks queries, one at a time.

    The token is read from its file for every request, as it may be renewed. `problem` is why the
    last one had no answer, empty if it had.
    """

    def __init__(
        self, url: str, *, token_file: str = "", ca_file: str = "", seconds: float = SECONDS
    ) -> None:
        self._url = f"{url.rstrip('/')}/api/v1/query"
        self._token_file = token_file
        self._ca_file = ca_file
        self._seconds = seconds
        self._client: AsyncHTTPClient | None = None
        self.problem = ""

    async def read(self) -> Mapping[Pod, Measured]:
        """Return what was measured of each pod; nothing, and a `problem`, without an answer."""
        return await self.asked(measured.query(), measured.read) or {}

    async def asked(self, query: str, read: Callable[[bytes], T]) -> T | None:
        """Return what `read` makes of the answer to a query; None, and a `problem`, without one.

        `read` is called in a thread, as an answer may be large. It may raise ValueError and
        MsgspecError.
        """
        try:
            found = await asyncio.to_thread(read, await self._ask(query))
        except (OSError, HTTPClientError, ValueError, msgspec.MsgspecError) as error:
            if not self.problem:
                _log.warning("Prometheus cannot be asked: %s", error)
            self.problem = f"Prometheus cannot be asked: {_words(error)}."
            return None
        self.problem = ""
        return found

    def close(self) -> None:
        """Release all resources."""
        if self._client:
            self._client.close()
            self._client = None

    async def _ask(self, query: str) -> bytes:
        if self._client is None:
            self._client = SimpleAsyncHTTPClient(
                force_instance=True, max_body_size=_LARGEST, max_buffer_size=_LARGEST
            )
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if self._token_file:
            token = Path(self._token_file).read_text(encoding="ascii").strip()
            headers["Authorization"] = f"Bearer {token}"
        request = HTTPRequest(
            self._url,
            method="POST",
            headers=headers,
            body=urlencode({"query": query, "timeout": f"{self._seconds:.0f}s"}),
            connect_timeout=self._seconds,
            request_timeout=self._seconds,
            follow_redirects=False,  # the token is for this address only
            ca_certs=self._ca_file or None,
        )
        response = await self._client.fetch(request, raise_error=False)
        if response.code == 599 and response.error:
            raise response.error
        if response.code not in (200, 400, 422):  # the others are not its own words
            raise ValueError(f"it answers with status {response.code}")
        return response.body


def _words(error: Exception) -> str:
    """Return what is shown of an error: never a file's content."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, UnicodeError):
        return "its token file is not text"
    return str(error).rstrip(".")
