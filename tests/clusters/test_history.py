"""How all clusters were used, as far as each lets a caller see it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import StorageFailed, Unavailable
from jupyter_gpuquota.model.history import History, HistoryQuery
from jupyter_gpuquota.model.projects import ProjectRequest
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.clusters.two import CLOUD, two_clusters
from tests.contract.access_table import ADMIN
from tests.contract.helpers import run

pytestmark = pytest.mark.asyncio
TEAMS = {
    **CLOUD,
    "GpuQuota": {
        "projects": [{"name": "ml", "quota": "4", "members": ["bob"], "leads": ["ana"]}],
        "admins": ["cloud-admin"],
        "history_interval": 600,
    },
}


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    """Run a session of Bob in each cluster; both have been recorded."""
    async with two_clusters(tmp_path, TEAMS) as found:
        for project in ("team-c", "cloud/ml"):
            await run(found, project=project, owner="bob", gpu="1")
            there: Any = found.at(project)
            await there.resident.recorder.sample()
        yield found


async def used(backend: Backend, who: str, **query: Any) -> History:
    rights = await backend.access.rights(Caller(who, known="token"))
    found = await perform(backend, route("history.get"), rights, {}, HistoryQuery(**query))
    assert isinstance(found, History)
    return found


@pytest.mark.parametrize(
    ("who", "named"),
    [
        ("bob", {"team-c", "cloud/ml"}),
        ("ana", {"cloud/ml"}),
        ("cloud-admin", {"cloud/ml"}),
        (ADMIN, {"team-c"}),
        ("lead", {"team-c"}),
        ("eve", set()),
    ],
)
async def test_each_cluster_decides_who_is_named_to_whom(
    backend: Backend, who: str, named: set[str]
) -> None:
    told = await used(backend, who, by="user")
    assert {point.project for point in told.points if point.user} == named
    assert {hours.project for hours in told.users} == {"team-c", "cloud/ml"}
    assert {hours.project for hours in told.users if hours.user} == named


async def test_all_have_the_steps_of_the_one_that_records_least_often(backend: Backend) -> None:
    told = await used(backend, "bob", hours=1, points=2000)
    assert told.step == 600
    assert {point.project for point in told.points if point.allocated} == {"team-c", "cloud/ml"}
    assert {int(point.at.timestamp()) % 600 for point in told.points} == {0}
    assert (await used(backend, "bob", hours=1, points=2000, project="team-c")).step == 30


async def test_a_cluster_that_cannot_be_asked_is_named_and_leaves_a_gap(backend: Backend) -> None:
    members: Any = backend.clusters
    members.members["cloud"].problem = "It does not answer."
    told = await used(backend, "bob")
    assert {point.project for point in told.points if point.allocated} == {"team-c"}
    assert told.notes[-1].startswith("cloud is missing: The cluster cloud cannot be used")
    assert told.note.endswith(told.notes[-1])
    with pytest.raises(Unavailable):
        await used(backend, "bob", project="cloud/ml")


async def fail(_window: object) -> History:
    raise StorageFailed("The disk is full.")


async def test_a_cluster_whose_history_cannot_be_read_is_named(backend: Backend) -> None:
    history: Any = backend.at("cloud/ml").history
    history.read = fail
    told = await used(backend, "bob")
    assert {point.project for point in told.points if point.allocated} == {"team-c"}
    assert told.notes[-1].startswith("cloud is missing: The disk is full.")


async def test_where_none_can_be_read_the_first_error_is_the_answer(backend: Backend) -> None:
    for name in ("team-c", "cloud/ml"):
        history: Any = backend.at(name).history
        history.read = fail
    with pytest.raises(StorageFailed):
        await used(backend, "bob")


async def test_a_change_is_tried_on_the_first_cluster(backend: Backend) -> None:
    rights = await backend.access.rights(Caller(ADMIN, known="token"))
    body = ProjectRequest(name="team-c", quota=1)
    effect = await perform(backend, route("projects.preview"), rights, {}, None, body)
    assert "cloud/ml" not in {project.name for project in effect.projects}
