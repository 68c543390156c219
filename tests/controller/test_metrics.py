"""Metrics of a controller: what they say, what they never say, and a scrape of a real process."""

from __future__ import annotations

import http.client
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.controller.metrics.mount import Refusals, Scraped, Waits
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.hosting.unix import API
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session, make_spec
from tests.controller.process import Process, ask
from tests.fakes import make_backend
from tests.waiting import patience

Figures = dict[tuple[str, ...], float]


def read(text: str) -> Figures:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(registry: CollectorRegistry) -> Figures:
    return read(generate_latest(registry).decode())


@pytest.mark.asyncio
async def test_they_say_what_is_held_free_and_waited_for():
    backend = make_backend(({"name": "team-a", "quota": 1}, {"name": "team-b", "quota": 2}))
    registry = CollectorRegistry()
    began = datetime.now(UTC) - timedelta(seconds=1)
    registry.register(Scraped(backend, Waits(began)))
    for name in ("secret-a", "secret-b", "secret-c"):
        await backend.sessions.create(make_spec(name, "0.5"), "someone")
    found = scrape(registry)
    expected = {
        ("gpuquota_gpus_capacity",): 16,
        ("gpuquota_gpus_free",): 15,
        ("gpuquota_gpus_others",): 0,
        ("gpuquota_gpus_quota", "team-a"): 1,
        ("gpuquota_gpus_allocated", "team-a"): 1,
        ("gpuquota_gpus_requested", "team-a"): 1.5,
        ("gpuquota_gpus_allocated", "team-b"): 0,
        ("gpuquota_sessions", "team-a", "running"): 2,
        ("gpuquota_sessions", "team-a", "waiting"): 1,
        ("gpuquota_sessions", "team-b", "running"): 0,
        ("gpuquota_queue_oldest_seconds", "team-b"): 0,
        ("gpuquota_queue_wait_seconds_count", "team-a"): 2,
        ("gpuquota_reconcile_errors_total",): 0,
    }
    assert {key: found[key] for key in expected} == expected
    assert found["gpuquota_queue_oldest_seconds", "team-a"] >= 0
    assert scrape(registry)["gpuquota_queue_wait_seconds_count", "team-a"] == 2
    said = " ".join(" ".join(key) for key in found)
    assert "secret" not in said
    assert "someone" not in said


def test_a_wait_counts_once_and_only_here():
    began = datetime(2026, 1, 1, tzinfo=UTC)
    waits = Waits(began)

    def started(name: str, seconds: int, run: int = 1) -> Session:
        at = began + timedelta(seconds=seconds)
        return replace(make_session(name, "1"), created=began, started=at, run=run)

    sessions = [started("exp-1", 40), started("before-it", -1), started("resumed", 9, run=2)]
    for _ in range(2):
        [family] = waits.collect(sessions)
    found = {sample.name: sample.value for sample in family.samples}
    assert found["gpuquota_queue_wait_seconds_count"] == 1
    assert found["gpuquota_queue_wait_seconds_sum"] == 40


@pytest.mark.asyncio
async def test_refusals_count_by_route_and_code():
    registry = CollectorRegistry()
    dispatcher = Refusals(InProcess(make_backend()), registry)
    asked = ApiRequest(route("sessions.get"), caller=Caller("me"), args={"id": "my-secret"})
    for _ in range(2):
        with pytest.raises(NotFound):
            await dispatcher.dispatch(asked)
    await dispatcher.dispatch(ApiRequest(route("sessions.list"), caller=Caller("me")))
    refused = {key: value for key, value in scrape(registry).items() if "refusals_total" in key[0]}
    assert refused == {("gpuquota_refusals_total", "NotFound", "sessions.get"): 2}


def test_a_scrape_of_a_real_controller(tmp_path: Path, unused_tcp_port: int) -> None:
    address = f"127.0.0.1:{unused_tcp_port}"
    controller = Process(tmp_path, Controller__metrics=address)
    with controller.running() as port:
        connection = controller.connection(port)
        assert ask(connection, "/sessions/my-secret", controller.tokens["ana"])[0] == 404
        connection.close()
        scraped = http.client.HTTPConnection(address, timeout=patience())
        scraped.request("GET", "/metrics")
        answer = scraped.getresponse()
        text = answer.read().decode()
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/plain; version=")
        scraped.request("GET", f"{API}/sessions")
        nothing = scraped.getresponse()
        assert (nothing.status, b"items" in nothing.read()) == (404, False)
        scraped.close()
    found = read(text)
    assert found["gpuquota_refusals_total", "NotFound", "sessions.get"] == 1
    assert found["gpuquota_gpus_capacity",] > 0
    assert found["process_resident_memory_bytes",] > 1e7
    for secret in ("my-secret", "ana", *controller.tokens.values()):
        assert secret not in text


def test_an_address_that_is_taken_or_wrong_is_said(tmp_path: Path, unused_tcp_port: int) -> None:
    for_nobody = Process(tmp_path, Controller__metrics="9090")
    assert "not an address" in for_nobody.refused()
    address = f"127.0.0.1:{unused_tcp_port}"
    with Process(tmp_path, Controller__metrics=address).running():
        other = tmp_path / "other"
        other.mkdir()
        assert "c.Controller.metrics" in Process(other, Controller__metrics=address).refused()
