"""Several clusters keep every promise of one backend."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from jupyter_gpuquota.ports.backend import Backend
from tests.clusters.two import two_clusters
from tests.contract import test_memory
from tests.contract.backend_contract import BackendContract
from tests.contract.history_contract import RecordedHistoryContract
from tests.contract.volumes_contract import KeptVolumesContract


@pytest.mark.asyncio
class TestClusters(KeptVolumesContract, RecordedHistoryContract, BackendContract):
    declares = test_memory.TestMemory.declares | {"fallbacks"}
    projects = ("team-a", "team-b", "team-c", "cloud/demo")

    @pytest.fixture(params=["team-a", "cloud/demo"])
    def used(self, request: pytest.FixtureRequest) -> str:
        return str(request.param)

    @pytest_asyncio.fixture
    async def backend(self, tmp_path: Path) -> AsyncIterator[Backend]:
        async with two_clusters(tmp_path) as backend:
            yield backend
