"""Ask the Jupyter Servers of sessions what runs in them, without anybody's activity being moved."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from ...model.base import Model
from ...model.sessions import Endpoint, Session

T = TypeVar("T")

Find = Callable[[Session], Awaitable[Endpoint | None]]
"""Return where a session's Jupyter Server listens; None while it does not."""

_SECONDS = 5.0
_AT_ONCE = 64
_LARGEST = 16 * 2**20
_QUIETLY = "?no_track_activity=1"
_FAULTS = (OSError, EOFError, ValueError, asyncio.LimitOverrunError, msgspec.MsgspecError)


class Kernel(Model, frozen=True, kw_only=True):
    """A kernel as a Jupyter Server tells of it."""

    id: str
    last_activity: datetime
    execution_state: str | None = None


class Terminal(Model, frozen=True, kw_only=True):
    """A terminal as a Jupyter Server tells of it."""

    name: str
    last_activity: datetime | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a server answers, or the `problem` with it; no terminals where it offers none."""

    kernels: list[Kernel]
    terminals: list[Terminal] | None = None
    problem: str = ""


class Servers:
    """Ask many servers at the same time, each over a connection that is kept.

    A kept connection cannot become a stranger's, as a port may; so a server is looked for once.
    """

    def __init__(self, find: Find) -> None:
        self._find = find
        self._lines: dict[tuple[str, int], _Line] = {}
        self._without_terminals: set[tuple[str, int]] = set()
        self._room = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, session: Session) -> Told:
        """Ask for kernels and terminals."""
        key = (session.id, session.run)
        try:
            async with self._room, asyncio.timeout(_SECONDS):
                return await self._ask(session, key)
        except TimeoutError:
            problem = "Its Jupyter Server does not answer."
        except _FAULTS as error:
            problem = f"Its Jupyter Server cannot be asked: {error}"
        self._drop(key)
        return Told([], problem=problem)

    def keep_only(self, keys: Iterable[tuple[str, int]]) -> None:
        """Hang up on all other sessions' servers."""
        kept = set(keys)
        for key in self._lines.keys() - kept:
            self._drop(key)
        self._without_terminals &= kept

    async def _ask(self, session: Session, key: tuple[str, int]) -> Told:
        kept = self._lines.get(key)
        if kept:
            with suppress(OSError, EOFError):  # it has hung up: a new connection tells
                return await self._questions(kept, key)
            self._drop(key)
        found = await self._find(session)
        if found is None:
            return Told([], problem="Its Jupyter Server does not listen any more.")
        line = self._lines[key] = await _connect(found)
        return await self._questions(line, key)

    async def _questions(self, line: _Line, key: tuple[str, int]) -> Told:
        kernels = await line.get("api/kernels", list[Kernel])
        if kernels is None:
            raise ValueError("it knows of no kernels.")
        if key in self._without_terminals:
            return Told(kernels)
        terminals = await line.get("api/terminals", list[Terminal])
        if terminals is None:
            self._without_terminals.add(key)  # asking on would fill its log with warnings
        return Told(kernels, terminals)

    def _drop(self, key: tuple[str, int]) -> None:
        if line := self._lines.pop(key, None):
            line.close()


class _Line:
    """A connection to one server."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, endpoint: Endpoint
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._endpoint = endpoint

    async def get(self, path: str, kind: type[T]) -> T | None:
        """Get what lies there; None if nothing does. Raises OSError, EOFError, ValueError.

        HTTP/1.0 spares us answers in chunks.
        """
        to = self._endpoint
        headers = {"Host": to.authority, "Connection": "keep-alive", **to.headers}
        lines = [f"{name}: {value}" for name, value in headers.items()]
        first = f"GET {to.base_url}{path}{_QUIETLY} HTTP/1.0"
        self._writer.write("\r\n".join([first, *lines, "", ""]).encode())
        status, length = _head(await self._reader.readuntil(b"\r\n\r\n"))
        body = await self._reader.readexactly(length)
        if status == 404:
            return None
        if status != 200:
            raise ValueError(f"it answers with status {status}.")
        return msgspec.json.decode(body, type=kind)

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


async def _connect(endpoint: Endpoint) -> _Line:
    https = endpoint.scheme == "https"
    tls = ssl.create_default_context(cadata=endpoint.ca or None) if https else None
    reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port, ssl=tls)
    return _Line(reader, writer, endpoint)


def _head(head: bytes) -> tuple[int, int]:
    """Return the status and the length of the body. Raises ValueError."""
    first, *lines = head.decode("latin1").split("\r\n")
    fields: dict[str, Any] = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    words = first.split()
    length = fields.get("content-length", "")
    if len(words) < 2 or not words[1].isdigit() or not length.isdigit():
        raise ValueError("its answer cannot be read.")
    if int(length) > _LARGEST:
        raise ValueError("its answer is too long.")
    return int(words[1]), int(length)
