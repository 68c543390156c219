"""The local backend keeps the port's promises, with real processes."""

from __future__ import annotations

import pytest

from tests.contract.backend_contract import BackendContract


@pytest.mark.asyncio
class TestLocal(BackendContract):
    pass
