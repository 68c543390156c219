"""A controller with two clusters in memory: the first one, and `cloud`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jupyter_gpuquota.clusters.backend import open_clusters
from jupyter_gpuquota.control.assembly import Plugin
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.memory.backend import PLUGIN, open_memory
from jupyter_gpuquota.memory.config import MemoryConfig
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import ADMIN, PROJECTS
from tests.waiting import wait_for

CLOUD: Mapping[str, Any] = {
    "backend": "memory",
    "MemoryConfig": {"nodes": 1, "gpus": 4},
    "GpuQuota": {"admins": [ADMIN]},
}


def load(_name: str) -> Plugin:
    """Return the memory backend, whatever is asked for."""
    return PLUGIN


def open_two(home: Path, cloud: Mapping[str, Any] = CLOUD, **settings: Any) -> Backend:
    """Return both clusters, which are not started yet."""
    shared = {"projects": PROJECTS, "admins": [ADMIN], "cluster_name": "lab"}
    control = GpuQuota(**shared | settings, clusters={"cloud": dict(cloud)})
    first = open_memory(control, MemoryConfig(), home)
    return open_clusters(first, control, home, load)


@asynccontextmanager
async def two_clusters(
    home: Path, cloud: Mapping[str, Any] = CLOUD, **settings: Any
) -> AsyncIterator[Backend]:
    """Run both clusters until the end of the block."""
    backend = open_two(home, cloud, **settings)
    await backend.resident.start()
    try:
        await wait_for(lambda: any("/" in each.name for each in backend.inventory.projects()))
        yield backend
    finally:
        await backend.resident.close()
