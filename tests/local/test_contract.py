"""The local backend keeps every promise, with real processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.ports.backend import CAPABILITIES, Backend
from tests.contract.backend_contract import ADMIN, PROJECTS, BackendContract
from tests.contract.volumes_contract import KeptVolumesContract


@pytest.mark.asyncio
class TestLocal(KeptVolumesContract, BackendContract):
    declares = frozenset(CAPABILITIES) - {"streaming", "terminals", "fallbacks"}

    @pytest_asyncio.fixture
    async def backend(self, make: Callable[..., Any]) -> Backend:
        return await make(projects=PROJECTS, admins=[ADMIN])
