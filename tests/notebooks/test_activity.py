"""Widgets that are shown do not make a kernel look busy, so that idle ones can be culled.

Jupyter counts every message of a kernel, whatever caused it: a widget that the kernel kept updating
would keep the kernel and its GPU allocated forever.
"""

from __future__ import annotations

import asyncio
import json
from datetime import datetime

import pytest

from tests.waiting import patience

SETTLE = 1.0
QUIET = 8.0
"""Seconds in which nothing may happen; longer than any interval at which a view looks again."""

SHOW = """
from jupyter_gpuquota import *
for widget in (QuotaWidget, SessionsWidget, LaunchWidget, DatasetsWidget, VolumesWidget):
    display(widget())
"""
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def jp_server_config():
    return {"ServerApp": {"jpserver_extensions": {}}}


@pytest.fixture
def controller(shell, monkeypatch):
    """A controller that kernels of this process's server find."""
    shell.ok("quota")
    monkeypatch.setenv("GPUQUOTA_STATE_DIR", str(shell.folder / "state"))


@pytest.mark.usefixtures("controller")
async def test_widgets_are_silent(jp_fetch, jp_serverapp):
    async def activity() -> datetime:
        await asyncio.sleep(SETTLE)
        model = json.loads((await jp_fetch("api", "kernels", kernel_id)).body)
        assert model["execution_state"] == "idle"
        return datetime.fromisoformat(model["last_activity"])

    async def run(source: str) -> list[dict]:
        shown: list[dict] = []
        reply = await client.execute_interactive(
            source, timeout=patience(), output_hook=shown.append
        )
        assert reply["content"]["status"] == "ok", reply["content"]
        return shown

    made = await jp_fetch("api", "kernels", method="POST", body=json.dumps({"name": "python3"}))
    kernel_id = json.loads(made.body)["id"]
    client = jp_serverapp.kernel_manager.get_kernel(kernel_id).client()
    client.start_channels()
    try:
        await client.wait_for_ready(timeout=patience())
        shown = [message["content"].get("data", {}) for message in await run(SHOW)]
        assert sum(WIDGET in data for data in shown) == 5
        before = await activity()
        await asyncio.sleep(QUIET)
        assert await activity() == before
        await run("print('something')")
        assert await activity() > before  # so it is measured at all
    finally:
        client.stop_channels()
        await jp_fetch("api", "kernels", kernel_id, method="DELETE")
