"""Real Jupyter Servers under a policy: working sessions are not ended.

Four minutes pass in a second.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.gpus.devices import Devices
from jupyter_gpuquota.local.gpus.nvml import Nvml
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local import atwork
from tests.local.atwork import TERMINALS, Lab
from tests.local.conftest import wait_for
from tests.local.fake_nvml import FakeNvml, Gpu
from tests.local.policies import set_policy, warned

pytestmark = pytest.mark.asyncio

RATE = 240.0
FAST = {"idle_interval": 240}
RULES = {"idle_timeout": "16m", "warn_before": "4m", "cpu_busy": 90, "gpu_busy": 5}
TWICE = timedelta(minutes=32)


@pytest_asyncio.fixture
async def lab(make: Callable[..., Any]) -> Lab:
    return await start(await make(clock=Clock(RATE), **FAST))


async def start(backend: Backend) -> Lab:
    made = await launch(backend, gpu="0.5", **served(), args=TERMINALS)
    await until(backend, made.id, "running")
    return Lab(backend, made.id)


async def states(lab: Lab) -> dict[str, str]:
    found = await lab.backend.policing.activity(lab.session)
    return {s.name: s.state for s in found.signals}


async def seen(lab: Lab, name: str, state: str) -> None:
    """Wait until a signal of the session is in a state."""

    async def reads() -> bool:
        return (await states(lab)).get(name) == state

    await wait_for(reads)


async def left_alone(lab: Lab) -> None:
    """Pass twice the timeout; fails if the session is idle in it."""
    begin = (await lab.backend.policing.activity(lab.session)).at

    async def passed() -> bool:
        return (await lab.backend.policing.activity(lab.session)).at >= begin + TWICE

    await wait_for(passed)
    session = lab.backend.resident.board.find(lab.session)
    assert (session.state, session.idle) == ("running", None)


async def ended_for_idleness(lab: Lab) -> None:
    """Wait until the session is suspended; fails if it was not warned in time."""
    first = await warned(lab.backend, lab.session)
    assert first.idle.acts - first.idle.warned >= timedelta(minutes=4)
    assert first.idle.since + timedelta(minutes=16) <= first.idle.acts
    ended = await until(lab.backend, lab.session, "suspended")
    assert ended.reason.code == "IdleTimeout"
    assert "No user, kernel, terminal, CPU or I/O activity" in ended.reason.message


@pytest.mark.parametrize(
    ("work", "name", "state"),
    [
        (atwork.silent_cell, "kernels", "busy"),
        (atwork.training_in_a_terminal, "terminals", "busy"),
        (atwork.unreachable, "kernels", "unknown"),
    ],
)
async def test_work_keeps_a_session_until_it_ends(
    lab: Lab, work: Callable[[Lab], Any], name: str, state: str
) -> None:
    async with work(lab):
        await seen(lab, name, state)
        await set_policy(lab.backend, **RULES)
        await left_alone(lab)
        assert (await states(lab))[name] == state
    await ended_for_idleness(lab)


@pytest.mark.parametrize("look", [atwork.nothing, atwork.closed_browser, atwork.live_widget])
async def test_what_only_looks_like_work_keeps_nothing(
    lab: Lab, look: Callable[[Lab], Any]
) -> None:
    async with look(lab):
        await set_policy(lab.backend, **RULES)
        await ended_for_idleness(lab)


async def test_a_gpu_that_cannot_be_read_keeps_its_session(make: Callable[..., Any]) -> None:
    gpu = Gpu("GPU-0", utilisation=0, samples=[])
    devices = Devices(LocalConfig(devices="nvml"), Nvml(FakeNvml(gpu)))
    backend = await make(devices, clock=Clock(RATE), devices="nvml", **FAST)
    lab = await start(backend)
    await seen(lab, "gpu", "idle")
    await wait_for(lambda: set(lab.backend.usage.utilisation().get(lab.session, ())) == {0})
    gpu.gone = True
    await seen(lab, "gpu", "unknown")
    await set_policy(lab.backend, **RULES)
    await left_alone(lab)
    gpu.gone = False
    ended = await until(lab.backend, lab.session, "suspended")
    assert "GPU" in ended.reason.message
