"""Commits come one after the other, whoever makes them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.history import Commit, History, has_conditional_put
from jupyter_gpuquota.store.lake.objects import Objects

pytestmark = pytest.mark.asyncio

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def commit(version: str) -> Commit:
    return Commit(version=version, time=NOW, message="why", author="ana")


@pytest.mark.parametrize("put", ["conditional", "plain"])
async def test_no_commit_is_lost_when_many_are_made_at_once(lake: Objects, put: str) -> None:
    conditional = put == "conditional"
    writers = [History(lake, conditional=conditional) for _ in range(8)]
    await asyncio.gather(*(log.add("d", commit(f"v{n}")) for n, log in enumerate(writers)))
    found = await writers[0].commits("d")
    assert sorted(each.version for each in found) == [f"v{n}" for n in range(8)]
    if conditional:
        keys = [each.key async for each in lake.list(layout.commits("d"))]
        assert sorted(map(layout.number, keys)) == list(range(1, 9))
    await writers[0].add("d", commit("last"))
    assert (await writers[1].commits("d"))[-1] == commit("last")


async def test_datasets_and_tags(lake: Objects) -> None:
    log = History(lake, conditional=True)
    await log.add("faces", commit("v1"))
    await log.add("cats", commit("v2"))
    await log.tag("faces", "good", "v1")
    await log.tag("faces", "old", "v1")
    await log.untag("faces", "old")
    assert await log.datasets() == ["cats", "faces"]
    assert await log.tags("faces") == {"good": "v1"}
    assert await log.tags("cats") == {}


async def test_a_lake_is_asked_whether_it_refuses_what_exists(lake: Objects) -> None:
    assert await has_conditional_put(lake)
    assert not [each async for each in lake.list("")]
