"""Orders of snapshots: a controller takes up those of earlier ones, and not its own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from jupyter_gpuquota.control.datasets.opening import open_lake
from jupyter_gpuquota.control.snapshots.orders import Orders
from jupyter_gpuquota.model.datasets.datasets import Lake
from tests.jobs.snapshots.taken import order
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


class Held:
    """Objects whose writes are answered late."""

    def __init__(self, objects: Any) -> None:
        self.answered = asyncio.Event()
        self.written = False
        self._objects = objects

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)

    async def put(self, key: str, body: bytes) -> None:
        await self._objects.put(key, body)
        self.written = True
        await self.answered.wait()


async def test_an_order_that_is_being_written_is_not_taken_up(tmp_path: Path) -> None:
    objects = open_lake(Lake(name="own", url=tmp_path.as_uri()))
    held, wanted = Held(objects), order(tmp_path)
    orders = Orders(cast("Any", held), None)
    writing = asyncio.create_task(orders.put(wanted))
    await wait_for(lambda: held.written)
    assert await orders.left() == []
    held.answered.set()
    await writing
    assert await orders.left() == []
    assert await Orders(objects, None).left() == [wanted]
