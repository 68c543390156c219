"""A notebook whose kernel computes on the session's part of a GPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.backend_contract import run, until
from tests.gpu.programs import WORK, program, with_pids
from tests.local.atwork import Lab, open_tab
from tests.local.conftest import marked
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

CELL = f"""
import json, sys
from pathlib import Path
sys.path.insert(0, {str(WORK.parent)!r})
import work
gpu = work.Gpu()
found = [gpu.devices(0), gpu.processors(0), gpu.hold(1024)]
Path("found.json").write_text(json.dumps(found))
"""


@with_pids
async def test_the_kernel_of_a_notebook_has_the_share_of_its_session(mps, make, settings, device):
    backend = await make()
    session = await run(backend, gpu="0.5", command=())
    assert session.isolation.scope == "process"
    lab = Lab(backend, session.id)
    tab = await open_tab(lab)
    await tab.run(CELL)
    devices, processors, _ = json.loads(Path(settings["root_dir"], "found.json").read_text())
    assert devices == [device.uuid]
    assert processors > 0
    found = await program(backend, device.uuid, session.id, 1024)
    assert found.pid in marked(session.id)
    used = await until(backend, session.id, lambda s: s.usage and (s.usage.memory or 0) >= 1024)
    assert not used.usage.over
    await lab.ask(f"api/kernels/{tab.kernel}", method="DELETE")
    await until(backend, session.id, lambda s: s.usage.memory == 0)
    tab.close()
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    await wait_for(lambda: not marked(session.id))
