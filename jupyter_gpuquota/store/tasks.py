"""Doing things at once, and leaving nothing running behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Call a function in a thread.

    If the task is cancelled, it ends only after the function: a thread cannot be interrupted, and
    must not write to what the caller cleans up.
    """
    running = asyncio.ensure_future(asyncio.to_thread(function, *args, **options))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


async def together(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines at once; if one fails, cancel the others and raise its error."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
