"""Calls with their retries, as ourselves or as somebody else."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace

from ..api import Fault
from .decoding import failure
from .http import Answer, Call, Pairs, Transport

ATTEMPTS = 4
"""How often a call is made at most."""
LONGEST = 10.0
"""The longest wait in seconds; who asks to wait longer gets no second call."""
BUSY = (500, 502, 503, 504)


def pause(fault: Fault, attempt: int, *, reads: bool, chance: float) -> float | None:
    """Return the seconds to wait before a call is repeated, None to give up.

    `attempt` counts the calls made, `chance` is a random number from 0 to 1. 429 means that the
    server has not begun, so any call may be repeated. After other failures a write may have had its
    effect: it is not repeated here, but by who compares what is with what should be.
    """
    again = fault.status == 429 or (reads and fault.status in BUSY)
    if reads and fault.status == 0:
        # A kept connection may have been closed; a lost server is not chased, and credentials that
        # cannot be loaded are not either.
        again = attempt == 1 and fault.reason != "Credentials"
    if not again or attempt >= ATTEMPTS or fault.wait > LONGEST:
        return None
    return max(fault.wait, 0.1 * (1 << attempt)) * (1 + 0.25 * chance)


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls; `headers` impersonate somebody."""

    transport: Transport
    headers: Pairs = ()
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def send(self, call: Call) -> Answer:
        """Return the answer of success, after retries where they are safe. Raises Fault."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(call)
            except Fault as fault:
                reads = call.method == "GET"
                wait = pause(fault, attempt, reads=reads, chance=random.random())  # noqa: S311
                if wait is None:
                    raise
            await self.sleep(wait)

    def stream(self, call: Call) -> AsyncGenerator[bytes]:
        """Yield nothing once a call is accepted, then the body of the answer as it comes."""
        return self.transport.stream(self.mine(call))

    def mine(self, call: Call) -> Call:
        """Return a call with our headers."""
        return replace(call, headers=(*call.headers, *self.headers))

    async def _once(self, call: Call) -> Answer:
        answer = await self.transport.request(self.mine(call))
        if not 200 <= answer.status < 300:
            raise failure(answer, call.about)
        return answer
