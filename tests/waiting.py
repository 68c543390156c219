"""How tests wait for what has to come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from typing import Any

PATIENCE = 240.0
"""Seconds. A test that is not about time must pass on a machine that is very busy, too; one that
waits in vain fails anyway."""


async def wait_for(
    condition: Callable[[], Any],
    what: str | Callable[[], str] = "it never came true",
    *,
    seconds: float = PATIENCE,
    pause: float = 0.02,
) -> Any:
    """Wait until something is true, and return it; a condition may have to be awaited.

    Fails with `what`, or what that returns, if it never is.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    while not (found := await _value(condition())):
        late = asyncio.get_running_loop().time() >= deadline
        assert not late, what if isinstance(what, str) else what()
        await asyncio.sleep(pause)
    return found


async def _value(found: Any) -> Any:
    return await found if isawaitable(found) else found
