"""The two senders: they perform an operation's steps, one blocking, one awaiting."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import closing
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from ..errors import GpuQuotaError
from .context import Context
from .protocol import Answers, decode, encode
from .steps import Ask, Emit, Listen, Look, Operation, Pause, Step

P = ParamSpec("P")
T = TypeVar("T")


class Walk(Generic[T]):
    """Lead an operation from step to step: `step` is what to do now, None at the end."""

    def __init__(self, operation: Operation[T]) -> None:
        self._operation = operation
        self.step: Step | None = None
        self.answer(None)

    def answer(self, result: Any) -> None:
        """Give the result of the step."""
        self._advance(lambda: self._operation.send(result))

    def fail(self, error: GpuQuotaError) -> None:
        """Give the error of the step; it comes back out unless the operation handles it."""
        self._advance(lambda: self._operation.throw(error))

    def close(self) -> None:
        """Leave the operation, wherever it is; it then lets go of what it holds."""
        self._operation.close()

    def _advance(self, move: Callable[[], Step]) -> None:
        try:
            self.step = move()
        except StopIteration as end:
            self.step = None
            self.result: T = end.value


def perform(context: Context, step: Ask | Listen | Look) -> Any:
    """Do what a step asks for. Blocks."""
    if isinstance(step, Look):
        return step.function()
    if isinstance(step, Listen):
        return Answers(step.ask, context.transport().listen(encode(step.ask)))
    return decode(step, context.transport().send(encode(step)))


class Blocking:
    """Run operations in the calling thread."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def run(self, operation: Operation[T]) -> T:
        """Return the operation's result; what it emits on the way is dropped."""
        items = self._walk(operation)
        while True:
            try:
                next(items)
            except StopIteration as end:
                result: T = end.value
                return result

    def stream(self, operation: Operation[Any]) -> Iterator[Any]:
        """Iterate over what the operation emits."""
        return self._walk(operation)

    def _walk(self, operation: Operation[T]) -> Generator[Any, None, T]:
        with closing(Walk(operation)) as walk:
            while walk.step is not None:
                if isinstance(walk.step, Emit):
                    yield walk.step.item
                    walk.answer(None)
                elif isinstance(walk.step, Pause):
                    time.sleep(walk.step.seconds)
                    walk.answer(None)
                else:
                    try:
                        result = perform(self.context, walk.step)
                    except GpuQuotaError as error:
                        walk.fail(error)
                    else:
                        walk.answer(result)
            return walk.result


class Awaiting:
    """Run operations beside other tasks of an event loop; each step blocks a thread of its own."""

    def __init__(self, context: Context) -> None:
        self.context = context

    async def run(self, operation: Operation[T]) -> T:
        """Return the operation's result; what it emits on the way is dropped."""
        with closing(Walk(operation)) as walk:
            while walk.step is not None:
                await self._do(walk, walk.step)
            return walk.result

    async def stream(self, operation: Operation[Any]) -> AsyncIterator[Any]:
        """Iterate over what the operation emits."""
        with closing(Walk(operation)) as walk:
            while walk.step is not None:
                if isinstance(walk.step, Emit):
                    yield walk.step.item
                await self._do(walk, walk.step)

    async def _do(self, walk: Walk[Any], step: Step) -> None:
        import asyncio  # noqa: PLC0415 (whoever awaits has loaded it)

        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
        if isinstance(step, Pause | Emit):
            walk.answer(None)
            return
        try:
            result = await asyncio.to_thread(perform, self.context, step)
        except GpuQuotaError as error:
            walk.fail(error)
        else:
            walk.answer(result)


def blocking(
    operation: Callable[Concatenate[Context, P], Operation[T]],
) -> Callable[Concatenate[Blocking, P], T]:
    """Make a method of a blocking group from an operation."""

    @wraps(operation)
    def method(group: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return group.run(operation(group.context, *args, **kwargs))

    return method


def awaiting(
    operation: Callable[Concatenate[Context, P], Operation[T]],
) -> Callable[Concatenate[Awaiting, P], Awaitable[T]]:
    """Make a coroutine of an awaiting group from an operation."""

    @wraps(operation)
    async def method(group: Awaiting, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await group.run(operation(group.context, *args, **kwargs))

    return method
