"""Recommended sizes on a cluster, from what a Prometheus keeps: a small server has its API."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest
from msgspec.structs import replace as changed

from jupyter_gpuquota.kubernetes.signals.prometheus import Prometheus
from jupyter_gpuquota.kubernetes.signals.sizing import Sizing
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session, make_spec
from tests.fakes import NODES, ask, make_backend
from tests.kubernetes.session_pod import make_pod
from tests.kubernetes.test_signals import Fake, result, served

pytestmark = pytest.mark.asyncio

LONG = timedelta(hours=5)


def session(share: Share) -> Session:
    made = make_session("exp-1", "1")
    began = datetime.now(UTC) - LONG
    return changed(made, spec=changed(made.spec, share=share), state="running", started=began)


def answer(peak: float, seconds: float) -> dict[str, Any]:
    values = {"peak": peak, "seconds": seconds}
    return result(
        *({"metric": {"gpuquota": kind}, "value": [0, str(each)]} for kind, each in values.items())
    )


async def measured(asked: Session, answers: Any) -> tuple[Any, str]:
    """Return the usage of a session, and what Prometheus was asked."""
    fake = Fake(query=answers)
    async with served(fake) as url:
        prometheus = Prometheus(url)
        sizing = Sizing(lambda session, process=0: make_pod(session), prometheus)
        usage = await sizing.usage(asked)
        prometheus.close()
    if not fake.asked:
        return usage, ""
    return usage, parse_qs(fake.asked[0].request.body.decode())["query"][0]


async def test_whole_gpus_are_measured_by_the_exporter_of_devices():
    usage, query = await measured(session(Share(milli=1000)), answer(6000, 14_400))
    assert usage.peak == 6000
    assert timedelta(hours=3.9) < datetime.now(UTC) - usage.since < timedelta(hours=4.1)
    assert "DCGM_FI_DEV_FB_USED" in query
    assert 'exported_pod="gpu-exp-1-0"' in query
    assert "[18000s]" in query
    assert query.count("(") == query.count(")")


async def test_parts_of_gpus_are_measured_by_what_knows_containers():
    usage, query = await measured(session(Share(milli=500)), answer(3000 * 2**20, 14_400))
    assert usage.peak == 3000
    assert "DCGM" not in query  # it would be what all sessions on the device use
    assert 'podname="gpu-exp-1-0"' in query


async def test_it_has_run_no_longer_than_since_its_start():
    asked = session(Share(milli=1000))
    usage, _ = await measured(asked, answer(6000, 10**9))
    assert usage.since == asked.started


@pytest.mark.parametrize("answers", [result(), 503, {"status": "error", "error": "no"}])
async def test_without_an_answer_nothing_is_measured(answers: Any):
    usage, _ = await measured(session(Share(milli=1000)), answers)
    assert usage is None


async def test_what_cannot_be_measured_is_not_asked():
    assert await measured(session(Share()), answer(1, 1)) == (None, "")
    unasked = Sizing(lambda session, process=0: make_pod(session), None)
    assert await unasked.usage(session(Share(milli=1000))) is None


async def test_the_advice_is_that_of_one_machine():
    real = tuple(changed(device, simulated=False) for device in NODES[0].devices)
    backend = make_backend(nodes=(changed(NODES[0], devices=real),))
    made = await backend.sessions.create(make_spec("exp-1", "1"), "me")
    usage, _ = await measured(session(Share(milli=1000)), answer(3000, 14_400))

    async def found(_: Session) -> Any:
        return usage

    advice = await ask(replace(backend, measured=found), "sessions.advice", args={"id": made.id})
    assert (advice.verdict, advice.peak) == ("smaller", 3000)
    assert "would suffice" in advice.message
    unknown = await ask(backend, "sessions.advice", args={"id": made.id})
    assert unknown.verdict == "unmeasured"
