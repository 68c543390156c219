"""Look-up of the endpoints at which sessions listen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar
from urllib.parse import urlencode

import msgspec

from ...api.decoding import is_id
from ...api.dispatch import ApiRequest, Dispatcher
from ...api.statuses import error_in
from ...errors import NotFound, WrongState
from ...model.routes.table import route
from ...model.sessions import Endpoint, Session

T = TypeVar("T")


class Lookup(Generic[T]):
    """A look-up whose result changes; at most one is running and one queued behind it.

    Concurrent callers share results: `current` joins a running look-up, `fresh` one that starts
    after the call.
    """

    def __init__(self, look_up: Callable[[], Awaitable[T]]) -> None:
        self._look_up = look_up
        self._running: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def current(self) -> T:
        """Return the result of the running look-up, or start one. Raises what it raises."""
        return await asyncio.shield(self._running or self._queued())

    async def fresh(self) -> T:
        """Return the result of a look-up that has not started yet. Raises what it raises."""
        return await asyncio.shield(self._queued())

    def close(self) -> None:
        """Cancel all look-ups."""
        for task in (self._running, self._next):
            if task:
                task.cancel()

    def _queued(self) -> asyncio.Task[T]:
        if self._next is None:
            self._next = asyncio.ensure_future(self._after(self._running))
            # All callers may have been cancelled meanwhile; retrieve the exception.
            self._next.add_done_callback(lambda task: task.cancelled() or task.exception())
        return self._next

    async def _after(self, running: asyncio.Task[T] | None) -> T:
        if running:
            await asyncio.wait([running])
        self._running, self._next = self._next, None
        try:
            return await self._look_up()
        finally:
            self._running = None


_FRESH = 2.0
_MANY = 512


class Targets:
    """A cache of endpoints.

    Entries live for two seconds at most and are dropped with every change of a session, as a port
    that a session released may be taken by another process. Concurrent callers share one look-up.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._targets: dict[tuple[str, int], _Target] = {}

    async def find(self, session_id: str, port: int, *, fresh: bool = False) -> Endpoint:
        """Return the endpoint of a session; `port` 0 is its Jupyter Server.

        A `fresh` result comes from a look-up that starts after this call.

        Raises:
            NotFound: the session does not exist.
            WrongState: it is not running, or does not listen there yet.
            NotAllowed: it does not expose the port, or belongs to another user.
        """
        if not is_id(session_id):
            raise NotFound(f"{session_id!r} is not a session id.")
        target = self._targets.get((session_id, port))
        if target is None:
            if len(self._targets) >= _MANY:
                self._targets.clear()
            target = self._targets[session_id, port] = _Target(self._dispatcher, session_id, port)
        if fresh:
            return await target.lookup.fresh()
        return target.known or await target.lookup.current()

    async def describe(self, session_id: str) -> Session | None:
        """Return a session that cannot be shown; None if the caller may not see it."""
        request = ApiRequest(route=route("sessions.get"), args={"id": session_id})
        response = await self._dispatcher.dispatch(request)
        return msgspec.json.decode(response.body, type=Session) if response.status == 200 else None

    def forget(self) -> None:
        """Drop all entries; to be called whenever a session changes.

        A look-up in progress serves its present callers only.
        """
        self._targets.clear()

    def close(self) -> None:
        """Cancel all look-ups."""
        for target in self._targets.values():
            target.lookup.close()
        self._targets.clear()


class _Target:
    """A session's port: its last known endpoint and the look-up in progress."""

    def __init__(self, dispatcher: Dispatcher, session_id: str, port: int) -> None:
        self._dispatcher = dispatcher
        self._request = ApiRequest(
            route=route("sessions.endpoint"),
            args={"id": session_id},
            query=urlencode({"port": port, "same_origin": "true"}),
        )
        self._found: tuple[Endpoint, float] | None = None
        self.lookup = Lookup(self._look)

    @property
    def known(self) -> Endpoint | None:
        """The endpoint if it was found less than two seconds ago, else None."""
        if self._found and time.monotonic() - self._found[1] < _FRESH:
            return self._found[0]
        return None

    async def _look(self) -> Endpoint:
        began = time.monotonic()
        response = await self._dispatcher.dispatch(self._request)
        if response.status != 200:
            raise error_in(response.body)
        endpoint = msgspec.json.decode(response.body, type=Endpoint)
        self._found = endpoint, began
        return endpoint


def check_prefix(endpoint: Endpoint, path: str) -> None:
    """Raise WrongState if a session's Jupyter Server was started for another base URL."""
    if endpoint.base_url and not path.startswith(endpoint.base_url.rstrip("/")):
        raise WrongState(
            "This session was started by a JupyterLab with another base URL; its pages "
            f"are below {endpoint.base_url}.",
            hint="Suspend and resume it here, then open it again.",
        )
