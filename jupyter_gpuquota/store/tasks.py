"""Doing things at once, and leaving nothing running behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, ParamSpec, Self, TypeVar, TypeVarTuple

P = ParamSpec("P")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_PATIENCE = 2.0
"""Seconds in which a library gives its last answer."""


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


async def answered(answer: Awaitable[T]) -> T:
    """Return the answer of a library that has threads of its own; waits for it also if cancelled.

    Such a library gives its answer to the event loop, which must not have been closed by then.
    """
    waiting = asyncio.ensure_future(answer)
    try:
        return await asyncio.shield(waiting)
    except asyncio.CancelledError:
        await asyncio.wait({waiting}, timeout=_PATIENCE)
        if not waiting.cancel() and not waiting.cancelled():
            waiting.exception()  # nobody is left to be told
        raise


class Background:
    """Coroutines that run while more are made: so many at once, then the next one waits.

    As a context it waits for all of them at its end, or cancels them if something was raised.
    """

    def __init__(self, limit: int) -> None:
        self._free = asyncio.Semaphore(limit)
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        if error:
            for task in self._tasks:
                task.cancel()
        results = await asyncio.gather(*self._tasks, return_exceptions=True)
        if not error:
            for result in results:
                if result:
                    raise result

    async def start(self, function: Callable[[*Ts], Coroutine[Any, Any, None]], *args: *Ts) -> None:
        """Call a coroutine function soon. Raises the error of an earlier one."""
        await self._free.acquire()
        for task in [task for task in self._tasks if task.done()]:
            task.result()
            self._tasks.discard(task)
        task = asyncio.create_task(function(*args))
        task.add_done_callback(lambda _: self._free.release())
        self._tasks.add(task)


async def together(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run coroutines at once; if one fails, cancel the others and raise its error."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
