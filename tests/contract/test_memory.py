"""The memory backend keeps every promise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.memory.backend import open_memory
from jupyter_gpuquota.memory.config import MemoryConfig
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import ADMIN, PROJECTS, BackendContract
from tests.contract.history_contract import RecordedHistoryContract
from tests.contract.volumes_contract import KeptVolumesContract


@pytest.mark.asyncio
class TestMemory(KeptVolumesContract, RecordedHistoryContract, BackendContract):
    declares = frozenset(
        {
            *("ingress", "history", "administration", "policing"),
            *("lakes", "datasets", "caches", "jobs", "uses", "volumes", "snapshots", "keeping"),
            "runs",
            "templates",
            "variables",
        }
    )

    @pytest_asyncio.fixture
    async def backend(self, tmp_path: Path) -> AsyncIterator[Backend]:
        control = GpuQuota(projects=PROJECTS, admins=[ADMIN])
        backend = open_memory(control, MemoryConfig(), tmp_path)
        await backend.resident.start()
        yield backend
        await backend.resident.close()
