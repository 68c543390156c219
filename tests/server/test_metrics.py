"""Metrics show what was last read; a scrape waits for nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.server.metrics import Snapshot
from tests.builders import make_spec
from tests.fakes import As, make_backend

pytestmark = pytest.mark.asyncio


def scrape(registry: CollectorRegistry) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


async def test_a_scrape_shows_quota_and_sessions():
    backend = make_backend(({"name": "team-a", "quota": 1}, {"name": "team-b", "quota": 2}))
    for name in ("a", "b", "c"):
        await backend.sessions.create(make_spec(name, "0.5"), "me")
    registry = CollectorRegistry()
    snapshot = Snapshot(As(backend), registry)
    await snapshot.read()
    assert scrape(registry) == {
        ("gpuquota_gpus_capacity",): 16,
        ("gpuquota_gpus_quota", "team-a"): 1,
        ("gpuquota_gpus_quota", "team-b"): 2,
        ("gpuquota_gpus_allocated", "team-a"): 1,
        ("gpuquota_gpus_allocated", "team-b"): 0,
        ("gpuquota_sessions", "team-a", "running"): 2,
        ("gpuquota_sessions", "team-a", "waiting"): 1,
    }
    snapshot.close()
    assert scrape(registry) == {}


async def test_a_scrape_has_the_next_one_read():
    backend = make_backend()
    registry = CollectorRegistry()
    snapshot = Snapshot(As(backend), registry)
    assert scrape(registry) == {}
    await snapshot._reading
    assert scrape(registry)[("gpuquota_gpus_capacity",)] == 16
    snapshot.close()


async def test_what_is_unchanged_is_not_read_again():
    backend = make_backend()
    statuses = []

    class Counting(As):
        async def dispatch(self, asked: ApiRequest) -> ApiResponse:
            answer = await super().dispatch(asked)
            statuses.append(answer.status)
            return answer

    snapshot = Snapshot(Counting(backend), CollectorRegistry())
    await snapshot.read()
    await snapshot.read()
    assert statuses == [200, 200, 304, 304]
    await backend.sessions.create(make_spec("a"), "me")
    await snapshot.read()
    assert statuses[4:] == [200, 200]
    snapshot.close()


async def test_more_sessions_than_a_page_holds_are_all_counted():
    class TwoAPage(As):
        async def dispatch(self, asked: ApiRequest) -> ApiResponse:
            limit = "&limit=2" if asked.route.name == "sessions.list" else ""
            return await super().dispatch(replace(asked, query=asked.query + limit))

    backend = make_backend()
    for number in range(5):
        await backend.sessions.create(make_spec(f"s{number}"), "me")
    registry = CollectorRegistry()
    snapshot = Snapshot(TwoAPage(backend), registry)
    await snapshot.read()
    assert scrape(registry)[("gpuquota_sessions", "team-a", "running")] == 5
    snapshot.close()


async def test_while_nobody_answers_nothing_is_shown():
    class Silent:
        async def dispatch(self, asked: ApiRequest) -> ApiResponse:
            raise Unavailable("Nobody is there.")

    registry = CollectorRegistry()
    snapshot = Snapshot(Silent(), registry)
    await snapshot.read()
    assert scrape(registry) == {}
    snapshot.close()
