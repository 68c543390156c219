"""Real Jupyter Servers under a policy: whoever works is left alone for as long as it does.

Four minutes pass in a second.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from jupyter_client import AsyncKernelClient

from jupyter_gpuquota.core.policy_check import check_policy
from jupyter_gpuquota.model.policy import PolicyRequest
from tests.contract.backend_contract import launch, until
from tests.local.conftest import wait_for
from tests.local.test_signals_live import TERMINALS, start_kernel

pytestmark = pytest.mark.asyncio

FAST = {"clock_rate": 240.0, "idle_interval": 240}
RULES = {"idle_timeout": "20m", "warn_before": "5m", "cpu_busy": 50}


@pytest_asyncio.fixture
async def opened(make: Callable[..., Any]) -> AsyncIterator[Callable[..., Any]]:
    """Launch sessions with a kernel each, and speak to the kernels."""
    backend = await make(**FAST)
    clients: list[AsyncKernelClient] = []

    async def start(name: str) -> tuple[Any, str, AsyncKernelClient]:
        made = await launch(backend, name, gpu="0.5", command=(), args=TERMINALS)
        await until(backend, made.id, "running")
        _, client = await start_kernel(backend, made.id)
        clients.append(client)
        return backend, made.id, client

    yield start
    for client in clients:
        client.stop_channels()


async def set_policy(backend: Any) -> None:
    """Set the timeout, once the work is seen: a busy machine takes its time to begin."""
    levels = ({"level": "everyone", "rules": RULES},)
    revision = backend.policy().revision
    request = msgspec.convert({"levels": levels, "revision": revision}, PolicyRequest)
    await backend.put_policy(check_policy(request, ["team-a"]), "ana")


async def test_a_silent_cell_is_left_alone_until_it_ends(opened: Any) -> None:
    backend, session, client = await opened("exp-1")
    client.execute("import time; time.sleep(8)")  # half an hour: longer than the timeout
    await wait_for(lambda: _state(backend, session, "kernels") == "busy")
    await set_policy(backend)
    reply = await client.get_shell_msg(timeout=60)
    while reply["msg_type"] != "execute_reply":
        reply = await client.get_shell_msg(timeout=60)
    assert backend._engine.find(session).session.state == "running"
    ended = await until(backend, session, "suspended")
    assert ended.reason.code == "IdleTimeout"
    assert "kernel" in ended.reason.message


def _state(backend: Any, session: str, name: str) -> str:
    signals = backend.activity(session).signals
    return next((signal.state for signal in signals if signal.name == name), "")
