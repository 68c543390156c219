"""The fake keeps the port's promises: what is tested over it holds."""

from __future__ import annotations

import pytest

from tests.contract.backend_contract import BackendContract
from tests.contract.policing_contract import PolicingContract
from tests.fakes import FakeBackend


@pytest.mark.asyncio
class TestFake(BackendContract, PolicingContract):
    @pytest.fixture
    def backend(self) -> FakeBackend:
        return FakeBackend()
