"""One process that works on a lake, and may die at a step.

    python -m tests.storms.lake.program VERB CATALOG FOLDER LAKE [STEP]

VERB is `sync` or `collect`, LAKE a URL. Every request to the lake is two steps: before it, and
after it. At STEP the process kills itself. It prints the steps that it made, or its error.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.connection import Connection, connect
from jupyter_gpuquota.store.lake.history import History
from jupyter_gpuquota.store.lake.objects import Stored
from jupyter_gpuquota.store.processes import leave
from jupyter_gpuquota.store.sync import Wanted, sync

T = TypeVar("T")

NEVER = -1
NONE = timedelta(0)
DATASET = "faces"


class Mortal:
    """The objects of a lake, for a process that dies at a step."""

    def __init__(self, real: Connection, last: int) -> None:
        self._real = real
        self._last = last
        self.steps = 0

    def _step(self) -> None:
        if self.steps == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.steps += 1

    async def _around(self, call: Awaitable[T]) -> T:
        self._step()
        made = await call
        self._step()
        return made

    async def get(self, key: str) -> bytes:
        return await self._around(self._real.get(key))

    async def get_ranges(
        self, key: str, starts: Sequence[int], sizes: Sequence[int]
    ) -> list[bytes]:
        return await self._around(self._real.get_ranges(key, starts, sizes))

    async def put(self, key: str, body: bytes, *, durable: bool = True) -> None:
        await self._around(self._real.put(key, body, durable=durable))

    async def create(self, key: str, body: bytes, *, durable: bool = True) -> bool:
        return await self._around(self._real.create(key, body, durable=durable))

    async def flush(self) -> None:
        await self._around(self._real.flush())

    async def delete(self, keys: Sequence[str]) -> None:
        for key in keys:
            await self._around(self._real.delete([key]))

    async def sweep(self, prefix: str, age: timedelta) -> None:
        await self._around(self._real.sweep(prefix, age))

    async def head(self, key: str) -> Stored:
        return await self._around(self._real.head(key))

    async def list(self, prefix: str) -> AsyncIterator[Stored]:
        self._step()
        async for each in self._real.list(prefix):
            yield each
        self._step()


async def run(verb: str, catalog: str, folder: str, lake: str, last: int) -> int:
    """Do what is asked, and return the steps that were made."""
    objects = Mortal(connect(lake), last)
    history = History(objects, conditional=True)
    if verb == "collect":
        await collect(objects, history, grace=NONE)
        return objects.steps
    known = Catalog(catalog)
    try:
        wanted = Wanted(dataset=DATASET, folder=Path(folder), author=str(os.getpid()))
        await sync(
            wanted,
            objects,
            history,
            known,
            clock=lambda: datetime.now(UTC),
            report=lambda _: None,
        )
    finally:
        known.close()
    return objects.steps


def main(argv: Sequence[str]) -> int:
    """Run, print the steps or the error, and return the exit code."""
    verb, catalog, folder, lake, *last = argv
    try:
        print(asyncio.run(run(verb, catalog, folder, lake, int(last[0]) if last else NEVER)))  # noqa: T201 (the storm reads it)
    except GpuQuotaError as error:
        print(f"{error.code}: {error}")  # noqa: T201 (the storm reads it)
        return 1
    return 0


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
