"""The use of GPUs is recorded while sessions are live, and read back."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.core.usage.history import VisibleUsers, window_of
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import run

pytestmark = pytest.mark.asyncio


async def test_use_is_remembered(backend: Backend) -> None:
    await run(backend, gpu="0.5")
    await backend.resident.recorder.sample()
    asked = window_of(HistoryQuery(project="team-a"), datetime.now(UTC))
    told = await backend.history.read(asked)
    assert told.points
    assert all(point.project == "team-a" for point in told.points)
    assert all(p.in_quota + p.borrowed == p.allocated for p in told.points)
    assert told.step >= 30
    query = HistoryQuery(project="team-a", by="user")
    asked = window_of(query, datetime.now(UTC))
    by_user = await backend.history.read(asked)
    assert {point.user for point in by_user.points} == {"me"}
    assert {point.user for point in told.points} == {""}
    stranger = dataclasses.replace(asked, visible=VisibleUsers("eve", frozenset()))
    hidden = await backend.history.read(stranger)
    assert hidden.points == ()
    assert {hours.user for hours in hidden.users} <= {""}
