"""The kubernetes backend keeps every promise, with Kueue."""

from __future__ import annotations

import pytest

from tests.cluster.engine_contract import (
    DataContract,
    EngineContract,
    OnKueue,
    PodsContract,
    WholeContract,
    kueue,
    projects,
)
from tests.contract.backend_contract import BackendContract
from tests.contract.volumes_contract import VolumesContract

__all__ = ["kueue", "projects"]


@pytest.mark.asyncio
class TestKueue(OnKueue, PodsContract, EngineContract):
    pass


@pytest.mark.asyncio
class TestDataOfKueue(DataContract, VolumesContract, WholeContract, OnKueue):
    storage_class = "test-csi"


def test_the_whole_contract_is_kept_with_kueue() -> None:
    """A new part of the contract must not be forgotten here."""
    inherited = {*TestKueue.__mro__, *TestDataOfKueue.__mro__}
    assert {*BackendContract.__bases__} <= inherited
