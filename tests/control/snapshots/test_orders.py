"""Orders of snapshots: a controller takes up those of earlier ones, and not its own."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any, cast

import pytest

from jupyter_gpuquota.control.datasets.opening import open_lake
from jupyter_gpuquota.control.snapshots.orders import Orders
from jupyter_gpuquota.model.datasets.datasets import Lake
from tests.builders import UNREADABLE
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

    async def put(self, key: str, body: bytes, *, durable: bool = True) -> None:
        await self._objects.put(key, body, durable=durable)
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


@pytest.mark.parametrize("body", UNREADABLE, ids=range(len(UNREADABLE)))
async def test_an_order_that_cannot_be_read_stays_and_stops_no_other(
    tmp_path: Path, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    objects, wanted = open_lake(Lake(name="own", url=tmp_path.as_uri())), order(tmp_path)
    await Orders(objects, None).put(wanted)
    await objects.put("snapshots/orders/damaged.json", body)
    with caplog.at_level(logging.WARNING):
        assert await Orders(objects, None).left() == [wanted]
    assert "snapshots/orders/damaged.json" in caplog.text
    assert await objects.get("snapshots/orders/damaged.json") == body
