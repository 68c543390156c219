"""Whether a controller responds at all: one probe serves all waiting requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ..errors import Unavailable

T = TypeVar("T")

Probe = Callable[[], Awaitable[None]]
"""Send the controller a cheap request. Raises Unavailable if it does not respond."""

_VALID = 5.0
"""Seconds for which a failed probe is trusted; after that the next request probes again."""


class LivenessMonitor:
    """Watches pending responses; after `patience` seconds without one, it probes."""

    def __init__(self, probe: Probe, patience: float = 10.0) -> None:
        self._probe = probe
        self._patience = patience
        self._probing: asyncio.Future[None] | None = None
        self._failure: Unavailable | None = None
        self._since = 0.0

    async def admit(self) -> None:
        """Return at once unless the last probe failed. Raises Unavailable."""
        if self._failure:
            if time.monotonic() - self._since < _VALID:
                raise _copy_of(self._failure)
            await self._check()

    async def watch(self, response: Coroutine[Any, Any, T]) -> T:
        """Return a response; probe the controller while it takes long.

        Raises what awaiting the response raises, and Unavailable if a probe fails.
        """
        waiting = asyncio.ensure_future(response)
        try:
            while not (await asyncio.wait([waiting], timeout=self._patience))[0]:
                await self._check()
            return waiting.result()
        finally:
            waiting.cancel()

    async def _check(self) -> None:
        if self._probing is None or self._probing.done():
            self._probing = asyncio.ensure_future(self._run_probe())
        await asyncio.shield(self._probing)
        if self._failure:
            raise _copy_of(self._failure)

    async def _run_probe(self) -> None:
        try:
            await self._probe()
        except Unavailable as error:
            self._failure, self._since = error, time.monotonic()
        else:
            self._failure = None


def _copy_of(error: Unavailable) -> Unavailable:
    """Return the same error for another request, each with its own traceback."""
    return type(error)(error.message, hint=error.hint)
