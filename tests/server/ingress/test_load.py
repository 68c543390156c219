"""Many browsers on one port at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

from jupyter_gpuquota.model.sessions import Endpoint
from tests.server.ingress.conftest import Site
from tests.server.ingress.test_streaming import Counting, head_of, listening, visiting

BROWSERS = 60


class ApiRequest(dict[tuple[str, int], Endpoint]):
    """Endpoints that count their look-ups."""

    count = 0

    def __getitem__(self, key: Any) -> Endpoint:
        self.count += 1
        return super().__getitem__(key)


async def get(site: Site) -> str:
    async with visiting(site, "GET /") as (reader, _):
        return (await head_of(reader)).split()[1]


async def test_they_share_connections_and_look_ups(site: Site) -> None:
    program = Counting(keep=1000)
    async with listening(site, program):
        site.backend.ingress.endpoints = asked = ApiRequest(site.backend.ingress.endpoints)
        answers = await asyncio.gather(*(get(site) for _ in range(BROWSERS)))
    assert set(answers) == {"200"}
    assert len(program.requests) == BROWSERS
    assert asked.count < BROWSERS / 2
