"""Running the whole backend in the test's own process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.kubernetes.backend import open_kubernetes
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.ports.backend import Backend


@asynccontextmanager
async def serving(
    config: KubernetesConfig, folder: Path, hosting: str = "https"
) -> AsyncIterator[Backend]:
    """Run a backend with its state in a folder."""
    backend = open_kubernetes(GpuQuota(hosting=hosting), config, folder)
    await backend.resident.start()
    try:
        yield backend
    finally:
        await backend.resident.close()
