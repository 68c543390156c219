"""Parts of one GPU without MPS: counted, not enforced."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.model.resources import Share
from tests.contract.backend_contract import launch, run, until
from tests.gpu.programs import answer, with_pids, work

pytestmark = pytest.mark.asyncio

REST = work("devices", "memory", "processors", "rest=600")


async def test_two_halves_share_one_gpu_and_a_third_session_waits_for_room(make, device):
    backend = await make()
    halves = [await run(backend, name, gpu="0.5", command=REST) for name in ("one", "two")]
    for half in halves:
        assert (half.isolation.memory, half.isolation.scope) == ("none", "")
        assert "no MPS control daemon" in half.isolation.note
        assert half.placement.slices[0].memory == device.memory // 2
        assert await answer(backend, half, "devices") == [device.uuid]
        assert (await answer(backend, half, "memory"))["total"] > device.memory // 2
    third = await launch(backend, "three", gpu="0.3", command=REST)
    waits = await until(backend, third.id, lambda s: s.state == "waiting" and s.reason)
    assert waits.reason.message
    await backend.sessions.stop(halves[0].id)
    started = await until(backend, third.id, "running")
    assert await answer(backend, started, "devices") == [device.uuid]


async def test_parts_of_any_size_fill_a_gpu_and_a_session_is_resized_into_what_is_free(make):
    backend = await make()
    small = await run(backend, "small", gpu="0.3", command=REST)
    large = await run(backend, "large", gpu="0.7", command=REST)
    tiny = await launch(backend, "tiny", gpu="0.1", command=REST)
    await until(backend, tiny.id, lambda s: s.state == "waiting" and s.reason)
    await backend.sessions.resize(large.id, Share(milli=600))
    await until(backend, tiny.id, "running")
    again = await until(backend, large.id, lambda s: s.state == "running" and s.run == 2)
    assert again.placement.milli == 600
    assert small.placement.slices[0].index == again.placement.slices[0].index


@with_pids
async def test_a_session_that_uses_more_than_its_share_is_shown(make, device):
    backend = await make()
    command = work(f"hold={device.memory // 4 + 64}", "rest=600")
    session = await run(backend, gpu="0.25", command=command)
    over = await until(backend, session.id, lambda s: s.usage and s.usage.over)
    assert over.usage.memory > device.memory // 4


async def test_a_session_that_uses_up_the_memory_of_its_gpu_says_so(make, device):
    backend = await make()
    session = await launch(backend, gpu="1", command=work(f"hold={2 * device.memory}"))
    failed = await until(backend, session.id, "failed")
    assert failed.reason.code == "OutOfMemory"
    assert failed.exit.code == 1
