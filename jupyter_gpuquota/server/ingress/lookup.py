"""Coalescing of concurrent look-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

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
