"""Volumes in snapshots from request to restore, on the backend without files."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.model.snapshots.restore import RestorePlan, RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotDetails
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.model.volumes.volumes import NewVolume
from jupyter_gpuquota.ports.backend import Backend
from tests.contract import snapshots
from tests.contract.helpers import launch, until

pytestmark = pytest.mark.asyncio

OWNER = "owner"


async def taken(backend: Backend, **request: object) -> SnapshotDetails:
    """Take a snapshot of a session with two volumes, one of them read-only."""
    for name in ("scratch", "scans"):
        await backend.volumes.create(NewVolume(name=name, project="team-c", owner=OWNER, size=7))
    mounts = (
        Mount(volume="scratch", path="/scratch"),
        Mount(volume="scans", path="/scans", read_only=True),
    )
    session = await launch(backend, owner=OWNER, project="team-c", mounts=mounts)
    running = await until(backend, session.id, "running")
    return await snapshots.take(backend, running, **request)


async def test_a_restored_session_mounts_a_new_volume(backend: Backend) -> None:
    rights = await backend.access.rights(Caller(OWNER, known="token"))
    assert rights.launches("team-c")
    found = await taken(backend, tags=("first",))
    assert found.manifest
    assert [each.volume for each in found.manifest.volumes] == ["scratch"]
    plan: RestorePlan = await snapshots.ask(
        backend, "snapshots.plan", OWNER, body=RestoreRequest(name="exp-2"), snapshot="first"
    )
    assert plan.claims == ("scratch=exp-2-scratch",)
    assert "Volumes are used as they are now: scans." in plan.warnings
    assert plan.original
    assert plan.original.name == found.snapshot.name
    done = await snapshots.restore(backend, f"sha256:{found.snapshot.id}", OWNER, name="exp-2")
    assert (done.state, done.volumes, done.problem) == ("done", ("exp-2-scratch",), None)
    assert done.original == plan.original
    made = next(each for each in backend.volumes.all() if each.name == "exp-2-scratch")
    assert (made.owner, made.size) == (OWNER, 7)
    session = next(each for each in backend.sessions.all() if each.id == done.session)
    assert {each.volume: each.path for each in session.spec.volumes} == {
        "exp-2-scratch": "/scratch",
        "scans": "/scans",
    }
    running = await until(backend, session.id, "running")
    first = (await snapshots.take(backend, running)).snapshot
    second = (await snapshots.take(backend, running, note="later")).snapshot
    assert [first.parent, second.parent] == [found.snapshot.id, first.id]


async def test_a_volume_that_was_not_chosen_is_mounted_as_it_is(backend: Backend) -> None:
    found = await taken(backend, volumes=())
    assert found.manifest
    assert found.manifest.volumes == ()
    done = await snapshots.restore(backend, found.snapshot.id, OWNER, name="exp-2")
    assert (done.state, done.volumes) == ("done", ())
    session = next(each for each in backend.sessions.all() if each.id == done.session)
    assert [each.volume for each in session.spec.volumes] == ["scratch", "scans"]
