"""Pools of connections that are kept open and reused."""

from __future__ import annotations

import asyncio
import select
import ssl
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable

from tornado.iostream import IOStream

from ..errors import Unavailable

Connect = Callable[[], Awaitable[IOStream]]

_KEPT = 256
_OPENING = 8


class Connections:
    """One pool of connections per peer."""

    def __init__(self, kept: int = _KEPT, opening: int = _OPENING, seconds: float = 60) -> None:
        self._limits = (kept, opening, seconds)
        self._peers: dict[Hashable, _Pool] = {}

    async def borrow(self, peer: Hashable, connect: Connect) -> IOStream:
        """Return an idle, returned or new connection. Raises what `connect` raises.

        `connect` has to be equivalent for all callers that name this peer.
        """
        if peer not in self._peers:
            self._forget_unused()
            self._peers[peer] = _Pool(*self._limits)
        return await self._peers[peer].borrow(connect)

    def give_back(self, peer: Hashable, stream: IOStream) -> None:
        """Return a connection to the pool; it is closed if it has unread data."""
        if peer in self._peers:
            self._peers[peer].give_back(stream)
        else:
            stream.close()

    def close(self) -> None:
        """Close all idle connections; callers waiting for one get Unavailable."""
        for peer in self._peers.values():
            peer.close()
        self._peers.clear()

    def _forget_unused(self) -> None:
        self._peers = {key: peer for key, peer in self._peers.items() if peer.used}


class _Pool:
    """The idle connections to one peer, and the callers waiting for one.

    Waiters get the first free connection in the order of their requests, whether returned or new.
    At most `opening` are opened at a time, so that a burst of callers shares a few. While anyone
    waits, at least one is being opened, so that slow responses never block the queue.
    """

    def __init__(self, kept: int, opening: int, seconds: float) -> None:
        self._most_kept = kept
        self._most_opening = opening
        self._seconds = seconds
        self._idle: list[tuple[IOStream, float]] = []
        self._waiting: deque[asyncio.Future[IOStream]] = deque()
        self._opening: set[asyncio.Task[None]] = set()
        self._sweep: asyncio.TimerHandle | None = None

    @property
    def used(self) -> bool:
        """Whether the pool holds connections or waiters."""
        return bool(self._idle or self._waiting or self._opening)

    async def borrow(self, connect: Connect) -> IOStream:
        """Return a connection. Raises what `connect` raises."""
        if stream := self._take():
            return stream
        waiter: asyncio.Future[IOStream] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._open(connect)
        try:
            return await waiter
        except asyncio.CancelledError:
            self._give_up(waiter)
            raise

    def give_back(self, stream: IOStream) -> None:
        """Give a connection to the longest waiter, or keep it idle."""
        if not _is_reusable(stream):
            stream.close()
        elif waiter := self._next_waiter():
            waiter.set_result(stream)
        elif len(self._idle) < self._most_kept:
            self._keep(stream)
        else:
            stream.close()

    def close(self) -> None:
        """Close idle connections and stop opening new ones."""
        for task in self._opening:
            task.cancel()
        while waiter := self._next_waiter():
            waiter.set_exception(Unavailable("This server is shutting down."))
        while self._idle:
            self._idle.pop()[0].close()
        if self._sweep:
            self._sweep.cancel()

    def _take(self) -> IOStream | None:
        while self._idle:
            stream, since = self._idle.pop()
            stream.set_close_callback(None)
            if _is_reusable(stream) and time.monotonic() - since < self._seconds:
                return stream
            stream.close()
        return None

    def _keep(self, stream: IOStream) -> None:
        self._idle.append((stream, time.monotonic()))
        # Notice at once when the peer hangs up, so that no request is written to a dead connection.
        stream.set_close_callback(lambda: self._discard(stream))
        if self._sweep is None:
            self._sweep = asyncio.get_running_loop().call_later(self._seconds, self._close_old)

    def _close_old(self) -> None:
        """Close connections that have been idle for too long; the oldest come first."""
        self._sweep = None
        until = time.monotonic() - self._seconds
        while self._idle and self._idle[0][1] <= until:
            stream, _ = self._idle.pop(0)
            stream.set_close_callback(None)
            stream.close()
        if self._idle:
            wait = self._idle[0][1] - until
            self._sweep = asyncio.get_running_loop().call_later(wait, self._close_old)

    def _next_waiter(self) -> asyncio.Future[IOStream] | None:
        """Return the longest waiter that has not given up."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                return waiter
        return None

    def _open(self, connect: Connect) -> None:
        """Open as many connections as there are waiters, up to the limit."""
        while len(self._opening) < min(len(self._waiting), self._most_opening):
            task = asyncio.ensure_future(self._open_one(connect))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)
            task.add_done_callback(lambda _: self._open(connect))

    async def _open_one(self, connect: Connect) -> None:
        try:
            self.give_back(await connect())
        except Exception as error:  # noqa: BLE001 (it is passed to the waiter)
            if waiter := self._next_waiter():
                waiter.set_exception(error)

    def _give_up(self, waiter: asyncio.Future[IOStream]) -> None:
        """Give up waiting; a connection that arrived meanwhile goes to the next waiter."""
        if waiter in self._waiting:
            self._waiting.remove(waiter)
        if not (waiter.cancelled() or waiter.exception()):
            self.give_back(waiter.result())

    def _discard(self, stream: IOStream) -> None:
        self._idle = [pair for pair in self._idle if pair[0] is not stream]


def _is_reusable(stream: IOStream) -> bool:
    """Return whether a connection is open and has no unread data.

    Left-over data would be taken for the response to the next request.
    """
    if stream.closed() or stream._read_buffer_size:  # noqa: SLF001 (tornado has no other way)
        return False
    if isinstance(stream.socket, ssl.SSLSocket) and stream.socket.pending():
        return False
    ready = select.poll()
    ready.register(stream.socket, select.POLLIN)
    return not ready.poll(0)
