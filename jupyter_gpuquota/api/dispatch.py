"""Have a request answered: by a backend in this process, or by whoever has one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Protocol

from ..core.access import NOBODY, Caller
from ..model.routes import Route


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that was authenticated and authorised, not decoded yet.

    `query` is as it came, but for what is not ours (`decoding.own_query`); `etags` is the header
    If-None-Match, `caller` whoever was authenticated; a gateway leaves it to the controller to say
    who that is.
    """

    route: Route
    caller: Caller = NOBODY
    args: dict[str, str] = field(default_factory=dict)
    query: str = ""
    body: bytes = b""
    etags: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """An encoded answer; `body` is JSON, and empty with status 304.

    `lines`, if set, are there instead of the body: JSON documents that come one by one. Whoever
    takes the answer closes them.
    """

    status: int
    body: bytes = b""
    etag: str = ""
    lines: AsyncGenerator[bytes] | None = None


class Dispatcher(Protocol):
    """Answer requests."""

    async def dispatch(self, asked: Asked) -> Answer:
        """Return the answer, or raise an error of ours."""
