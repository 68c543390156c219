"""Each part of two clusters is asked of the one that has it, by the names that it has outside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound, Unavailable, Unsupported
from jupyter_gpuquota.model.datasets.datasets import DatasetRequest
from jupyter_gpuquota.model.environments import EnvironmentQuery
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import Session, SessionQuery, SessionRequest
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotRequest
from jupyter_gpuquota.model.struct import Nothing
from jupyter_gpuquota.model.volumes.volumes import NewVolume
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform
from tests.clusters.two import CLOUD, open_two, two_clusters
from tests.contract.access_table import ADMIN
from tests.contract.helpers import launch, run, until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
TEAMS = {
    **CLOUD,
    "GpuQuota": {
        "projects": [
            {"name": "team-a", "quota": "2", "members": ["ana"]},
            {"name": "team-b", "quota": "2", "members": ["bob"], "leads": ["ana"]},
        ],
        "admins": ["cloud-admin"],
    },
}

FIRST_ONLY = (
    "Datasets and snapshots are those of lab: use a project of lab, or keep files in a volume of "
    "cloud."
)


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    async with two_clusters(tmp_path, TEAMS) as found:
        yield found


async def ask(backend: Backend, name: str, who: str, body: Any = None, **args: str) -> Any:
    """Call a route as a user."""
    rights = await backend.access.rights(Caller(who, known="token"))
    query = SessionQuery() if name == "sessions.list" else None
    return await perform(backend, route(name), rights, args, query, body)


def asked(project: str, **fields: Any) -> SessionRequest:
    return SessionRequest(**{"name": "exp-1", "project": project, "command": ("true",), **fields})


async def test_names_tell_clusters_apart(backend: Backend) -> None:
    here = await run(backend, "same", gpu="1")
    there = await run(backend, "same", gpu="1", project="cloud/team-a")
    assert [s.spec.project for s in backend.sessions.all()] == ["team-a", "cloud/team-a"]
    assert here.placement is not None
    assert there.placement is not None
    assert (here.placement.node, there.placement.node) == ("demo-1", "cloud/demo-1")
    used = {use.name: use.allocated for use in backend.usage.quota().projects}
    assert (used["team-a"], used["cloud/team-a"], used["cloud/team-b"]) == (1000, 1000, 0)
    assert backend.usage.quota().capacity == 20_000
    names = [node.name for node in backend.inventory.nodes()]
    assert names == ["demo-1", "demo-2", "cloud/demo-1"]


async def test_a_session_is_managed_where_it_is(backend: Backend) -> None:
    session = await run(backend, project="cloud/team-a", gpu="0.5")
    stopped = await backend.sessions.stop(session.id)
    assert stopped.spec.project == "cloud/team-a"
    await until(backend, session.id, "stopped")
    await backend.sessions.delete(session.id)
    assert backend.sessions.all() == ()


async def test_each_cluster_checks_requests_by_its_own_quota(backend: Backend) -> None:
    for project, gpu in (("team-a", "3"), ("cloud/team-a", "2")):
        assert (await ask(backend, "sessions.preview", "ana", asked(project, gpu=gpu))).message
    with pytest.raises(InvalidFields, match="quota is 2 GPUs"):
        await ask(backend, "sessions.create", "ana", asked("cloud/team-a", gpu="3"))


async def test_each_cluster_decides_who_may_do_what(backend: Backend) -> None:
    with pytest.raises(InvalidFields):
        await ask(backend, "sessions.create", "bob", asked("cloud/team-a"))
    session: Session = await ask(backend, "sessions.create", "bob", asked("cloud/team-b"))
    # An admin of the first cluster is none of the other, and the other way round.
    for who in (ADMIN, "eva"):
        with pytest.raises(NotFound):
            await ask(backend, "sessions.stop", who, Nothing(), id=session.id)
    assert "stop" in (await ask(backend, "sessions.get", "ana", id=session.id)).actions
    assert "resize" in (await ask(backend, "sessions.get", "cloud-admin", id=session.id)).actions
    mine = await ask(backend, "sessions.create", "bob", asked("team-a"))
    assert (await ask(backend, "sessions.get", "cloud-admin", id=mine.id)).actions == ()
    with pytest.raises(NotAllowed):
        await ask(backend, "audit.list", "cloud-admin")
    found = await ask(backend, "sessions.get", "bob", id="cloud~team-b~exp-1")
    assert found.id == session.id


async def test_what_a_session_is_offered_is_what_its_cluster_can(backend: Backend) -> None:
    here = await ask(backend, "sessions.create", "ana", asked("team-a"))
    there = await ask(backend, "sessions.create", "ana", asked("cloud/team-a"))
    assert "snapshot" in (await ask(backend, "sessions.get", "ana", id=here.id)).actions
    assert "snapshot" not in (await ask(backend, "sessions.get", "ana", id=there.id)).actions


async def test_volumes_are_those_of_the_projects_cluster(backend: Backend) -> None:
    assert backend.volumes
    wanted = NewVolume(name="scans", project="cloud/team-a", owner="ana", size=2**30)
    made = await backend.volumes.create(wanted)
    assert made.project == "cloud/team-a"
    assert [each.project for each in backend.volumes.all()] == ["cloud/team-a"]
    assert backend.at("team-a").volumes.all() == ()
    await backend.volumes.delete(made)
    assert backend.volumes.all() == ()


async def test_environments_are_those_of_the_projects_cluster(backend: Backend) -> None:
    asked = EnvironmentQuery(project="cloud/team-a")
    rights = await backend.access.rights(Caller("ana", known="token"))
    found = await perform(backend, route("environments.list"), rights, {}, asked)
    there = await backend.at("cloud/team-a").inventory.environments()
    assert found.environments == there


async def test_snapshots_are_of_the_first_cluster_only(backend: Backend) -> None:
    session = await run(backend, project="cloud/team-a", owner="ana")
    with pytest.raises(Unsupported, match="The cluster cloud takes no snapshots") as caught:
        await ask(backend, "snapshots.create", "ana", SnapshotRequest(), id=session.id)
    assert caught.value.hint == FIRST_ONLY


async def test_datasets_are_of_the_first_cluster_only(backend: Backend) -> None:
    wanted = DatasetRequest(name="faces", project="cloud/team-a")
    with pytest.raises(Unsupported, match="The cluster cloud has no datasets") as caught:
        await ask(backend, "datasets.create", "ana", wanted)
    assert caught.value.hint == FIRST_ONLY
    with pytest.raises(InvalidFields) as refused:
        await ask(backend, "sessions.create", "ana", asked("cloud/team-a", data=("faces@v1",)))
    (field,) = refused.value.fields
    assert (field.field, field.message) == ("data[0]", "The cluster cloud has no datasets.")
    assert field.hint == FIRST_ONLY


async def test_quotas_are_compared_with_the_gpus_of_their_cluster(backend: Backend) -> None:
    assert (await ask(backend, "projects.list", "ana")).warnings == ()
    # 8 GPUs of quota, 16 there; 4 of quota, 4 there: neither is more than its cluster has.
    assert backend.usage.quota().capacity == 20_000


async def test_a_change_in_any_cluster_is_one(backend: Backend) -> None:
    latest = (await backend.changes.changed("", 0)).latest
    waiting = asyncio.ensure_future(backend.changes.changed(latest, 60))
    await launch(backend, project="cloud/team-a")
    assert (await waiting).latest != latest


async def test_a_cluster_that_cannot_be_reached_breaks_nothing(tmp_path: Path) -> None:
    backend = open_two(tmp_path, TEAMS)
    members: Any = backend.clusters
    cloud = members.members["cloud"]

    async def refuse() -> None:
        raise Unavailable("The cluster does not answer.")

    works, cloud.start, cloud.pause = cloud.start, refuse, 0.05
    await backend.resident.start()
    try:
        await wait_for(lambda: backend.changes.warnings())
        assert backend.changes.warnings() == ("cloud: The cluster does not answer.",)
        await run(backend, gpu="1")
        assert len(backend.sessions.all()) == 1
        assert [project.name for project in backend.inventory.projects()][-1] == "team-c"
        with pytest.raises(Unavailable, match="cloud cannot be used"):
            await ask(backend, "sessions.create", "ana", asked("cloud/team-a"))
        cloud.start = works
        await wait_for(lambda: not backend.changes.warnings())
        await run(backend, project="cloud/team-a")
    finally:
        await backend.resident.close()
