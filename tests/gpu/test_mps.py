"""Parts of one GPU with NVIDIA's real MPS control daemon: enforced for each process."""

from __future__ import annotations

import os
import shlex
import signal

import pytest

from tests.contract.backend_contract import launch, run, until
from tests.gpu.programs import activity, answer, log_of, program, with_pids, work
from tests.local.conftest import marked
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

CONTEXT = 3072
"""MiB that the driver needs for a process besides what this allocates, at most."""


def clients(mps) -> set[int]:
    """Return the processes that the daemon knows as clients."""
    servers = (mps._ask("get_server_list") or "").split()
    return {int(pid) for each in servers for pid in mps._ask(f"get_client_list {each}").split()}


async def test_each_half_has_half_of_the_memory(mps, make, device):
    backend = await make()
    half = device.memory // 2
    command = work("devices", "memory", f"hold={half - CONTEXT}", "rest=600")
    both = [await run(backend, name, gpu="0.5", command=command) for name in ("one", "two")]
    for session in both:
        assert (session.isolation.memory, session.isolation.scope) == ("enforced", "process")
        assert await answer(backend, session, "devices") == [device.uuid]
        assert await answer(backend, session, "hold") == half - CONTEXT
        assert marked(session.id) & clients(mps)
    await backend.sessions.stop(both[0].id)
    await until(backend, both[0].id, "stopped")
    greedy = await launch(backend, "greedy", gpu="0.5", command=work(f"hold={half + 1}"))
    failed = await until(backend, greedy.id, "failed")
    assert failed.reason.code == "OutOfMemory", await log_of(backend, failed)


async def test_each_half_has_half_of_the_processors(mps, make):
    backend = await make()
    command = work("processors", "rate=3")
    whole = await run(backend, "whole", gpu="1", command=command)
    processors, rate = [await answer(backend, whole, each) for each in ("processors", "rate")]
    await until(backend, whole.id, "done")
    halves = [await run(backend, name, gpu="0.5", command=command) for name in ("one", "two")]
    for half in halves:
        assert await answer(backend, half, "processors") <= processors / 2 + 1
        assert 0.3 * rate < await answer(backend, half, "rate") < 0.7 * rate


async def test_memory_and_compute_are_limited_to_what_was_requested(mps, make):
    backend = await make()
    share = {"gpu_memory": "8Gi", "gpu_compute": 20}
    whole = await run(backend, "whole", gpu="1", command=work("processors"))
    processors = await answer(backend, whole, "processors")
    await until(backend, whole.id, "done")
    command = work("processors", f"hold={8192 - CONTEXT}", f"hold={CONTEXT + 1}")
    session = await launch(backend, **share, command=command)
    failed = await until(backend, session.id, "failed")
    assert await answer(backend, failed, "processors") <= processors / 5 + 1
    assert await answer(backend, failed, "hold") == 8192 - CONTEXT
    assert failed.reason.code == "OutOfMemory"


@with_pids
async def test_each_process_has_the_limit_again_and_the_session_is_shown_over_its_share(mps, make):
    backend = await make()
    program = shlex.join(work("hold=4096", "rest=600"))
    both = ("sh", "-c", f"{program} & {program} & wait")
    session = await run(backend, gpu_memory="6Gi", command=both)
    over = await until(backend, session.id, lambda s: s.usage and s.usage.over)
    assert over.usage.memory >= 2 * 4096


@with_pids
async def test_memory_is_that_of_the_clients_and_work_that_of_their_server(mps, make, device):
    backend = await make(idle_interval=1)
    working = await run(backend, "busy", gpu="0.5", command=work("hold=2048", "rate=6", "rest=600"))
    resting = await run(backend, "rests", gpu="0.5", command=work("hold=1024", "rest=600"))
    for session, least in ((working, 2048), (resting, 1024)):
        await until(backend, session.id, lambda s, n=least: s.usage and (s.usage.memory or 0) >= n)
        found = await program(backend, device.uuid, session.id, least)
        assert found.pid in marked(session.id)
    names = [each.name for each in backend.inventory.readings()[device.uuid].programs]
    assert not any("mps" in name for name in names)
    for session in (working, resting):
        assert "by which process" in await activity(backend, session, "unknown")
    for session in (working, resting):
        assert await activity(backend, session, "idle")


async def test_stopping_a_session_ends_its_client_and_no_other(mps, make):
    backend = await make(stop_grace=1.0)
    command = work("stubborn", "processors", "rate=600")
    stubborn = await run(backend, "stubborn", gpu="0.5", command=command)
    other = await run(backend, "other", gpu="0.5", command=work("processors", "rate=12"))
    for session in (stubborn, other):
        await answer(backend, session, "processors")
    (client,) = marked(stubborn.id) & clients(mps)
    await backend.sessions.stop(stubborn.id)
    await until(backend, stubborn.id, "stopped")
    await wait_for(lambda: client not in clients(mps))
    assert await answer(backend, other, "rate") > 0
    assert mps.answers()


async def test_the_daemon_and_other_sessions_outlive_a_client_that_is_killed(mps, make):
    backend = await make()
    killed = await run(backend, "killed", gpu="0.5", command=work("processors", "rate=600"))
    other = await run(backend, "other", gpu="0.5", command=work("processors", "rate=8"))
    for session in (killed, other):
        await answer(backend, session, "processors")
    (client,) = marked(killed.id) & clients(mps)
    os.kill(client, signal.SIGKILL)
    failed = await until(backend, killed.id, "failed")
    assert failed.reason.code == "Killed"
    assert await answer(backend, other, "rate") > 0
    assert mps.answers()
    after = await run(backend, "after", gpu="0.5", command=work("processors", "rate=1"))
    assert await answer(backend, after, "rate") > 0


async def test_a_session_that_starts_after_the_daemon_has_ended_is_not_said_to_be_limited(
    mps, make
):
    backend = await make()
    mps._ask("quit")
    await wait_for(lambda: not mps.answers())
    session = await run(backend, gpu="0.5", command=work("processors", "rest=600"))
    assert session.isolation.memory == "none"
    assert await answer(backend, session, "processors") > 0
