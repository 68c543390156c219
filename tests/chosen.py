"""The backend of tests that any backend passes: `JUPYTER_GPUQUOTA_BACKEND`, else `memory`.

The conftest.py of all tests puts it into the environment, so that what they start has it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.environ import BACKEND
from jupyter_gpuquota.hosting.locate import Location, in_environment

LOCAL = {
    "LocalConfig": {
        "debugger": True,
        "devices": "simulated",
        "simulated_nodes": [
            {"name": name, "gpus": 8, "memory": 32768, "model": "V100-32GB"}
            for name in ("dgx1-1", "dgx1-2")
        ],
        "stop_grace": 5.0,
    }
}


def chosen() -> str:
    """Return the backend's name."""
    return in_environment().backend


def location(state_dir: Path) -> Location:
    """Return where its controller lives in a state folder."""
    return Location(state_dir, chosen())


def settings(**shared: Any) -> dict[str, dict[str, Any]]:
    """Return a configuration for two nodes of eight GPUs; `shared` are settings of `GpuQuota`.

    Memory has such nodes by itself.
    """
    return {**(LOCAL if chosen() == "local" else {}), "GpuQuota": shared}


@pytest.fixture(autouse=True, scope="module")
def on_local() -> Iterator[None]:
    """Choose `local` for the tests of a module or a folder that has this fixture."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(BACKEND, "local")
        yield
