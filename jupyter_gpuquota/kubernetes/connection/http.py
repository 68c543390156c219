"""HTTP as the API server speaks it: calls, answers, and what carries them."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ..api import Query, Request, Socket

Pairs = Sequence[tuple[str, str]]
Method = Literal["GET", "POST", "PATCH", "DELETE"]

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class Call:
    """One HTTP request. `about` says what it asks, for messages; `headers` are those of ours."""

    method: Method
    path: str
    query: Pairs = ()
    body: bytes | None = None
    content_type: str = JSON
    headers: Pairs = ()
    about: Request = field(default_factory=Request)
    idle: float = 0.0
    """For streams: seconds of silence after which the connection counts as lost, 0 for none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response as a whole."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Transport(Protocol):
    """Carries calls to one API server. Every method raises Fault where nothing answers."""

    @property
    def server(self) -> str:
        """The address of the API server, without credentials."""

    async def request(self, call: Call) -> Answer:
        """Return the answer to a call, whatever its status but 401, which is a Fault."""

    def stream(self, call: Call) -> AsyncGenerator[bytes]:
        """Yield nothing once a call is accepted, then the body of the answer as it comes.

        Raises the Fault of any status but success.
        """

    async def websocket(self, call: Call, protocols: Sequence[str]) -> Socket:
        """Open a WebSocket. Raises the Fault of a refusal."""

    async def close(self) -> None:
        """Close all connections."""


def pairs(query: Query | None) -> Pairs:
    """Return a query as pairs, one for each value of a sequence."""
    return [
        (key, value)
        for key, values in (query or {}).items()
        for value in ([values] if isinstance(values, str) else values)
    ]


def sentence(error: BaseException) -> str:
    """Return why a connection failed, without what the error may quote."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, OSError) and error.strerror:
        # asyncio's own text repeats the address; a resolver's number is none of the system's
        return os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    return f"the connection was lost ({type(error).__name__})"
