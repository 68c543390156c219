"""Trying again what a cluster does not answer, as long as this controller lives."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ...errors import Unavailable
from ...ports.charge import NotInCharge
from .order import Patience

T = TypeVar("T")


async def persistently(work: Callable[[], Awaitable[T]], patience: Patience) -> T:
    """Return what `work` returns, which can be done again at any time.

    While another controller is in charge, it waits: this one ends, or is in charge again. Raises
    Unavailable after `patience.ready` seconds without an answer.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience.ready
    while True:
        try:
            return await work()
        except NotInCharge:
            pass
        except Unavailable:
            if loop.time() >= deadline:
                raise
        await asyncio.sleep(patience.pause)
