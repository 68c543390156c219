"""Requests and responses, and what dispatches them: to a backend here or in another process."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol

from ..core.access import NOBODY, Caller
from ..model.routes.table import Route


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request that is authenticated and authorised, but not decoded.

    `query` has only our own parameters (`decoding.own_query`); `etags` is the header If-None-Match.
    `caller` is who was authenticated; behind a gateway the controller identifies the caller.
    """

    route: Route
    caller: Caller = NOBODY
    args: dict[str, str] = field(default_factory=dict)
    query: str = ""
    body: bytes = b""
    etags: str = ""


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """An encoded response; `body` is JSON, and empty with status 304.

    `retry` is after how many seconds the client may try again, 0 where that is not known.
    `lines`, if set, replace the body: JSON documents that come one by one. The receiver closes
    them.
    """

    status: int
    body: bytes = b""
    etag: str = ""
    retry: int = 0
    lines: AsyncGenerator[bytes] | None = None


class Dispatcher(Protocol):
    """What answers requests."""

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Return the response. Raises GpuQuotaError."""
