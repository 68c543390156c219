"""What a backend promises that records how its GPUs are used."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest

from jupyter_gpuquota.core.usage.history import VisibleUsers, window_of
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import able, run


class RecordedHistoryContract:
    """The contract of the port `History`, for a backend with our own recorder."""

    @pytest.fixture(params=["team-a"])
    def used(self, request: pytest.FixtureRequest) -> str:
        """Return a project that is used."""
        return str(request.param)

    async def test_use_is_recorded_by_project_and_user(self, backend: Backend, used: str) -> None:
        history = able(backend, "history")
        await run(backend, gpu="0.5", project=used)
        there: Any = backend.at(used)
        await there.resident.recorder.sample()
        asked = window_of(HistoryQuery(project=used), datetime.now(UTC))
        told = await history.read(asked)
        assert told.points
        assert all(point.project == used for point in told.points)
        assert all(p.in_quota + p.borrowed == p.allocated for p in told.points)
        assert told.step >= 30
        every = await history.read(dataclasses.replace(asked, project=""))
        found = {(point.at, point.project) for point in every.points}
        assert {(point.at, used) for point in told.points} <= found
        assert [point.at for point in every.points] == sorted(p.at for p in every.points)
        by_user = await history.read(dataclasses.replace(asked, by="user"))
        assert {point.user for point in by_user.points} == {"me"}
        assert {point.user for point in told.points} == {""}

    async def test_users_are_named_to_those_who_may_see_them(
        self, backend: Backend, used: str
    ) -> None:
        history = able(backend, "history")
        await run(backend, gpu="0.5", project=used)
        there: Any = backend.at(used)
        await there.resident.recorder.sample()
        asked = window_of(HistoryQuery(project=used, by="user"), datetime.now(UTC))
        stranger = dataclasses.replace(asked, visible=VisibleUsers("eve", frozenset()))
        hidden = await history.read(stranger)
        assert hidden.points == ()
        assert {hours.user for hours in hidden.users} <= {""}
        member = dataclasses.replace(asked, visible=VisibleUsers("eve", frozenset({used})))
        assert {point.user for point in (await history.read(member)).points} == {"me"}
