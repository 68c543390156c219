"""Calls with their retries, as ourselves or as somebody else."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace

from ..api import Fault
from .decoding import failure
from .http import Answer, Call, Pairs, Transport
from .retrying import pause


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
