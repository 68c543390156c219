"""The activity signal `gpu` of sessions that compute and then rest."""

from __future__ import annotations

import pytest

from tests.contract.backend_contract import run
from tests.gpu.programs import activity, answer, with_pids, work

pytestmark = pytest.mark.asyncio


async def test_a_session_on_a_whole_gpu_is_busy_while_it_computes_and_idle_after(make):
    backend = await make(idle_interval=1)
    session = await run(backend, gpu="1", command=work("hold=512", "rate=8", "rest=600"))
    assert "%" in await activity(backend, session, "busy")
    await answer(backend, session, "rate")
    assert await activity(backend, session, "idle")


@with_pids
async def test_of_two_sessions_on_a_gpu_only_the_one_that_computes_is_busy(make):
    backend = await make(idle_interval=1)
    rests = await run(backend, "rests", gpu="0.5", command=work("hold=512", "rest=600"))
    computes = await run(backend, "computes", gpu="0.5", command=work("hold=512", "rate=600"))
    assert "Its processes use a GPU" in await activity(backend, computes, "busy")
    assert "do not use" in await activity(backend, rests, "idle")


async def test_work_between_two_checks_is_seen_though_the_driver_has_forgotten_it(make):
    backend = await make(idle_interval=25)
    session = await run(backend, gpu="1", command=work("rest=3", "rate=2", "rest=600"))
    await answer(backend, session, "rate")
    assert "%" in await activity(backend, session, "busy")
    assert await activity(backend, session, "idle")
