"""Work that only the controller in charge does, which several may be one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ...ports.charge import NotInCharge

_AGAIN = 1.0
"""Seconds after which a controller looks whether it is in charge again."""

T = TypeVar("T")


async def in_charge(work: Callable[[], Awaitable[T]]) -> T:
    """Return what `work` returns, once this controller is in charge; until then, wait."""
    while True:
        try:
            return await work()
        except NotInCharge:
            await asyncio.sleep(_AGAIN)
