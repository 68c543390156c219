"""Answers of another service, cached for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Clock = Callable[[], float]
"""Returns monotonic seconds."""


class Answers(Generic[K, V]):
    """A cache of at most `limit` answers, each valid for `lifetime(answer)` seconds.

    The same question, asked by many at once, is sent once. Errors are raised to all who wait for
    them, and are not cached. An answer that is used in the last `renew` seconds of its life is
    renewed meanwhile: who asks often does not wait for a slow service.
    """

    def __init__(
        self,
        lifetime: Callable[[V], float],
        limit: int = 4096,
        clock: Clock = time.monotonic,
        renew: float = 0.0,
    ) -> None:
        self._lifetime = lifetime
        self._limit = limit
        self._clock = clock
        self._renew = renew
        self._known: dict[K, tuple[V, float]] = {}
        self._asking: dict[K, asyncio.Future[V]] = {}

    async def get(self, question: K, ask: Callable[[], Awaitable[V]]) -> V:
        """Return the answer to a question, from the cache or else from `ask`."""
        if self._is_valid(question):
            if self.due(question):
                self._begin(question, ask)
            return self._known[question][0]
        return await asyncio.shield(self._begin(question, ask))  # a first asker may be cancelled

    def known(self, question: K) -> V | None:
        """Return the cached answer to a question, None without a valid one."""
        return self._known[question][0] if self._is_valid(question) else None

    def due(self, question: K) -> bool:
        """Return whether a question has to be asked, be it only to renew its answer."""
        if question not in self._known:
            return True
        return self._clock() >= self._known[question][1] - self._renew

    def forget(self, question: K) -> None:
        """Remove an answer from the cache."""
        self._known.pop(question, None)

    def _is_valid(self, question: K) -> bool:
        return question in self._known and self._clock() < self._known[question][1]

    def _begin(self, question: K, ask: Callable[[], Awaitable[V]]) -> asyncio.Future[V]:
        asking = self._asking.get(question)
        if asking is None:
            asking = self._asking[question] = asyncio.ensure_future(self._ask(question, ask))
            asking.add_done_callback(lambda done: self._asked(question, done))
        return asking

    async def _ask(self, question: K, ask: Callable[[], Awaitable[V]]) -> V:
        answer = await ask()
        self._known.pop(question, None)
        self._known[question] = answer, self._clock() + self._lifetime(answer)
        if len(self._known) > self._limit:
            del self._known[next(iter(self._known))]
        return answer

    def _asked(self, question: K, done: asyncio.Future[V]) -> None:
        del self._asking[question]
        if not done.cancelled():
            done.exception()  # all who waited for it may have been cancelled
