"""Manifests that members report are checked in turn, and no longer than they wait."""

from __future__ import annotations

import asyncio
from threading import Event
from types import SimpleNamespace

import pytest

from jupyter_gpuquota.control.datasets.manifests import Manifests, Summary, summary
from jupyter_gpuquota.errors import Damaged, NotFound, Unavailable
from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.entries import NOWHERE, Entry
from tests.contract import data
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


class Held:
    """Objects that are not written before they may."""

    def __init__(self) -> None:
        self.written: list[str] = []

    async def put(self, key: str, body: bytes) -> None:
        self.written.append(key)


def large(files: int) -> tuple[str, bytes]:
    entries = (Entry(path=f"{number:07}", size=1, sha256="ab" * 32) for number in range(files))
    return manifest.encode((each, NOWHERE) for each in entries)


async def test_a_check_ends_with_its_task() -> None:
    held = Held()
    manifests = Manifests(held)
    version, body = large(200_000)
    task = asyncio.create_task(manifests.put(version, body, "mia"))
    await wait_for(lambda: manifests._threads._work_queue.qsize() == 0, "it has not begun")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    stop = Event()
    stop.set()
    assert summary(version, body, stop) == Summary(0, 0)
    await manifests.put(*data.packed(data.FILES)[:2], "mia")
    assert len(held.written) == 1


async def test_each_caller_has_a_turn() -> None:
    held = Held()
    manifests = Manifests(held)
    first, second = large(30_000), data.packed({"b": b""})[:2]
    queue = [asyncio.create_task(manifests.put(*first, "mia")) for _ in range(4)]
    await manifests.put(*second, "ana")
    assert len(held.written) < 5
    await asyncio.gather(*queue)
    assert len(held.written) == 5


async def test_sizes_that_cannot_be_counted_are_damaged() -> None:
    entries = [Entry(path=f"{number:04}", size=1 << 53, sha256="ab" * 32) for number in range(1024)]
    with pytest.raises(Damaged, match="sizes that cannot be"):
        await Manifests(Held()).put(*manifest.encode((each, NOWHERE) for each in entries))


class Empty:
    """Objects of which none is there."""

    async def get(self, key: str) -> bytes:
        raise NotFound(key)


async def test_a_manifest_that_is_nowhere_is_unknown_here_or_lost_in_its_lake() -> None:
    own, lake = Empty(), Empty()
    manifests = Manifests(own)
    for objects, error, said in [(own, Unavailable, "not known here"), (lake, Damaged, "has lost")]:
        with pytest.raises(error, match=said):
            await manifests.get("ab" * 32, SimpleNamespace(objects=objects))
