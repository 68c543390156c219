"""Which kernels and terminals run in the Jupyter Servers of sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from ...core.idle.work import TerminalTimes
from ...model.sessions import Endpoint, Session
from ...model.struct import Model
from ..session_http import ServerConnection

Find = Callable[[Session], Awaitable[Endpoint | None]]
"""Return where a session's Jupyter Server listens; None while it does not."""

_SECONDS = 5.0
_AT_ONCE = 64
_FAULTS = (OSError, ValueError, msgspec.MsgspecError)


class Kernel(Model, frozen=True, kw_only=True):
    """A kernel as a Jupyter Server describes it; `waits_for_input` as that of a session does."""

    id: str
    last_activity: datetime
    execution_state: str | None = None
    waits_for_input: bool = False


class Terminal(Model, frozen=True, kw_only=True):
    """A terminal as a Jupyter Server describes it.

    A server's `last_activity` is also that of a page that opens it, and of a program that redraws
    its screen by itself. Those of sessions report the system's times.
    """

    name: str
    last_activity: datetime | None = None
    last_typed: datetime | None = None
    last_printed: datetime | None = None
    takes_keys: bool = False

    @property
    def used(self) -> datetime | None:
        """The time of its last use, as far as it is known."""
        if self.last_typed and self.last_printed:
            return TerminalTimes(self.last_typed, self.last_printed, self.takes_keys).used
        return self.last_activity


@dataclass(frozen=True, slots=True)
class ServerActivity:
    """What a server reports, or the `problem` with it; `terminals` is None if it offers none.

    Its times are those of its own clock, which is `behind` ours.
    """

    kernels: list[Kernel]
    terminals: list[Terminal] | None = None
    problem: str = ""
    behind: timedelta = timedelta()


class Servers:
    """The servers of many sessions, each asked over a connection of its own that stays open.

    A port may pass to another program, an open connection cannot: so a server is located once.
    """

    def __init__(self, find: Find) -> None:
        self._find = find
        self._connections: dict[tuple[str, int], ServerConnection] = {}
        self._without_terminals: set[tuple[str, int]] = set()
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, session: Session) -> ServerActivity:
        """Return the kernels and terminals of a session's server."""
        key = (session.id, session.run)
        try:
            async with self._slots, asyncio.timeout(_SECONDS):
                return await self._ask(session, key)
        except TimeoutError:
            problem = "Its Jupyter Server does not respond."
        except _FAULTS as error:
            problem = f"Its Jupyter Server cannot be queried: {error}"
        self._drop(key)
        return ServerActivity([], problem=problem)

    def keep_only(self, keys: Iterable[tuple[str, int]]) -> None:
        """Close the connections to the servers of all other sessions."""
        kept = set(keys)
        for key in self._connections.keys() - kept:
            self._drop(key)
        self._without_terminals &= kept

    async def _ask(self, session: Session, key: tuple[str, int]) -> ServerActivity:
        if connection := self._connections.get(key):
            with suppress(OSError):  # it was closed: a new one shows why
                return await self._query(connection, key)
            self._drop(key)
        found = await self._find(session)
        if found is None:
            return ServerActivity([], problem="Its Jupyter Server no longer listens.")
        connection = self._connections[key] = await ServerConnection.open(found)
        return await self._query(connection, key)

    async def _query(self, connection: ServerConnection, key: tuple[str, int]) -> ServerActivity:
        kernels = await connection.get_json("api/kernels", list[Kernel])
        if kernels is None:
            raise ValueError("it has no kernels API.")
        if key in self._without_terminals:
            return ServerActivity(kernels, behind=connection.behind)
        terminals = await connection.get_json("api/terminals", list[Terminal])
        if terminals is None:
            self._without_terminals.add(key)  # further requests would fill its log with warnings
        return ServerActivity(kernels, terminals, behind=connection.behind)

    def _drop(self, key: tuple[str, int]) -> None:
        if connection := self._connections.pop(key, None):
            connection.close()
