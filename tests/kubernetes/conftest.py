"""An API server with a claim for datasets, and Jobs that work on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_claims import OTHER, TEAM, Volumes, put_claim


@pytest.fixture
def api() -> FakeApi:
    """An API server with two projects; the first one has a claim for datasets."""
    found = FakeApi((TEAM, OTHER))
    put_claim(found)
    return found


@pytest_asyncio.fixture
async def volumes(api: FakeApi) -> AsyncIterator[Volumes]:
    """Claims on which Jobs work all the time."""
    found = Volumes(api)

    async def work() -> None:
        while True:
            found.round()
            await asyncio.sleep(0.01)

    task = asyncio.create_task(work())
    yield found
    task.cancel()
