"""The original session mounts restored claims in the place of its own, and these again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.volumes.remounting import remounted
from jupyter_gpuquota.errors import Conflict, InUse, WrongState
from jupyter_gpuquota.kubernetes.labels import KEPT, OWNER
from jupyter_gpuquota.kubernetes.resources import CLAIMS
from jupyter_gpuquota.model.sessions import Session, State
from jupyter_gpuquota.model.snapshots.restore import RestoreRequest
from jupyter_gpuquota.model.volumes.mounts import Mount
from jupyter_gpuquota.services.call import Call
from jupyter_gpuquota.services.snapshots import restoring
from tests.builders import make_session
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_snapshots import (
    SESSION,
    TEAM,
    Controller,
    Interrupted,
    Launches,
    cluster,
    driven,
    provisioned,
    running,
)
from tests.kubernetes.snapshot_steps import MOST, End, complete, done, interrupted, restored, taken
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

ENDS = [Controller.die, Controller.lose, Controller.lapse]


def owned(api: FakeApi) -> FakeApi:
    """Return an API server whose claim belongs to the user."""
    claim = api.raw(CLAIMS, TEAM, "work")
    noted = {**claim["metadata"]["annotations"], OWNER: SESSION.owner}
    api.put(CLAIMS, {**claim, "metadata": {**claim["metadata"], "annotations": noted}})
    return api


def resting() -> Launches:
    """Return the sessions of a cluster: the original one is suspended."""
    found = Launches()
    found.found.append(replace(SESSION, state="suspended"))
    return found


def mounted(launches: Launches) -> str:
    """Return the claim that the original session mounts."""
    [session] = [each for each in launches.all() if each.id == SESSION.id]
    [mount] = session.spec.mounts
    assert mount.path == "/work"
    return mount.volume


def kept(api: FakeApi) -> list[str]:
    """Return the claims that are kept."""
    return [each["metadata"]["name"] for each in api.all(CLAIMS, TEAM, KEPT)]


async def replaced(controller: Controller) -> str:
    """Replace the volume of the original session by that of its snapshot; return the restore."""
    await taken(controller)
    await complete(controller)
    await restored(controller, in_place=True)
    await done(controller, "replaced")
    [found] = controller.parts.snapshots.restores.all()
    return found.id


async def test_a_volume_is_replaced_put_back_and_replaced_for_good(tmp_path: Path) -> None:
    api, launches = owned(cluster()), resting()
    async with driven(api), provisioned(api), running(api, tmp_path, launches) as controller:
        restore, restores = await replaced(controller), controller.parts.snapshots.restores
        [shown] = restores.all()
        assert (shown.place, shown.replaces, shown.kept) == (SESSION.spec.name, SESSION.id, "work")
        new = mounted(launches)
        assert new != "work"
        assert kept(api) == ["work"]
        assert (await restores.undo(restore)).state == "undone"
        assert (mounted(launches), kept(api)) == ("work", [])
        assert (await restores.replace(restore, "")).state == "replaced"
        assert mounted(launches) == new
        await restores.remove(restore)
        assert [each["metadata"]["name"] for each in api.all(CLAIMS, TEAM)] == [new]
        assert restores.all() == ()


@pytest.mark.parametrize("end", ENDS)
async def test_a_replacement_goes_on_after_each_call(end: End, tmp_path: Path) -> None:
    for number in range(MOST):
        api, launches, folder = owned(cluster()), resting(), tmp_path / str(number)
        async with driven(api):
            async with running(api, folder, launches) as one:
                await taken(one)
                await complete(one)
                at = Interrupted(api, number, lambda one=one: end(one))
                one.use(at)
                await interrupted(one, at, end, in_place)
            async with running(api, folder, launches) as two:
                if list(folder.glob("own/snapshots/claims/*")):  # it was begun
                    await done(two, "replaced")
                    assert kept(api) == ["work"]
                    assert mounted(launches) != "work"
                    assert len(api.all(CLAIMS, TEAM)) == 2
        if not at.is_due:
            break
    assert 1 < number < MOST - 1


async def in_place(controller: Controller) -> None:
    """Restore in place, from the request to its end."""
    await restored(controller, in_place=True)
    await done(controller, "replaced")


async def test_what_cannot_be_replaced_leaves_nothing(tmp_path: Path) -> None:
    api, launches = owned(cluster()), resting()
    async with driven(api), running(api, tmp_path, launches) as controller:
        await taken(controller)
        await complete(controller)
        launches.found = [replace(SESSION, state="running")]  # it was resumed in this moment
        await restored(controller, in_place=True)
        restores = controller.parts.snapshots.restores
        await wait_for(lambda: [each.state for each in restores.all()] == ["failed"])
        await wait_for(lambda: len(api.all(CLAIMS, TEAM)) == 1 and not kept(api))
        assert mounted(launches) == "work"


async def test_an_undo_without_the_original_is_refused_and_can_be_confirmed(tmp_path: Path) -> None:
    api, launches = owned(cluster()), resting()
    async with driven(api), running(api, tmp_path, launches) as controller:
        restore, restores = await replaced(controller), controller.parts.snapshots.restores
        await api.delete(CLAIMS, TEAM, "work")
        with pytest.raises(Conflict, match="were deleted: work"):
            await restores.undo(restore)
        assert [each.state for each in restores.all()] == ["replaced"]
        await restores.remove(restore)


async def test_a_volume_of_somebody_else_or_in_use_is_not_removed(tmp_path: Path) -> None:
    api, launches = owned(cluster()), resting()
    async with driven(api), running(api, tmp_path, launches) as controller:
        restore, restores = await replaced(controller), controller.parts.snapshots.restores
        other = make_session("other", volumes=(Mount(volume="work", path="/x"),))
        launches.found.append(other)
        with pytest.raises(InUse, match="other"):
            await restores.remove(restore)
        assert kept(api) == ["work"]
    api, launches = cluster(), resting()
    folder = tmp_path / "of-others"
    async with driven(api), running(api, folder, launches) as controller:
        restore, restores = await replaced(controller), controller.parts.snapshots.restores
        assert [each.kept for each in restores.all()] == [""]
        await restores.remove(restore)
        assert "work" in {each["metadata"]["name"] for each in api.all(CLAIMS, TEAM)}


@pytest.mark.parametrize(
    ("sessions", "said"),
    [
        ([], "no longer exists"),
        ([replace(SESSION, state="suspended", owner="somebody")], "no longer exists"),
    ],
)
async def test_what_is_in_the_way_of_a_replacement_is_in_its_plan(
    sessions: list[Session], said: str, tmp_path: Path
) -> None:
    api, launches = cluster(), Launches()
    async with driven(api), running(api, tmp_path, launches) as controller:
        await taken(controller)
        manifest = await controller.parts.snapshots.manifest(await complete(controller))
        assert manifest
        launches.found = sessions
        restores = controller.parts.snapshots.restores
        found = await restores.found(manifest, RestoreRequest(replace=True), "again")
        assert said in found.problems["replace"]
        [new] = found.claims.values()
        launches.found = resting().found
        assert not (await restores.found(manifest, RestoreRequest(replace=True), "x")).problems
        api.put(CLAIMS, {"metadata": {"name": new, "namespace": TEAM}, "spec": {}})
        found = await restores.found(manifest, RestoreRequest(replace=True), "x")
        assert found.problems == {}
        assert set(found.claims.values()) != {new}


async def test_only_sessions_at_rest_are_concerned_by_a_replacement(tmp_path: Path) -> None:
    api, launches = owned(cluster()), resting()
    rights = Rights(Caller(SESSION.owner), roles={TEAM: "member"})

    def called(**given: Any) -> Call:
        return Call(rights, body=RestoreRequest(replace=True), **given)

    async with driven(api), running(api, tmp_path, launches) as controller:
        await taken(controller)
        made = await complete(controller)
        asked, backend = called(args={"snapshot": made.id}), controller.backend
        [rest], launches.found = launches.found, [replace(SESSION, state="running")]
        plan = await restoring.plan(backend, asked)
        [problem] = plan.problems
        assert problem.message == f"The session {SESSION.spec.name} is running."
        launches.found = [rest]
        plan = await restoring.plan(backend, asked)
        assert (plan.problems, plan.replaces, plan.spec) == ((), SESSION.spec.name, None)
        begun = await restoring.restore(backend, asked)
        await done(controller, "replaced")
        asked = called(args={"restore": begun.id})
        launches.found = [replace(launches.found[0], state="running")]
        with pytest.raises(WrongState, match="is running"):
            await restoring.undo(backend, asked)
        launches.found = [replace(launches.found[0], state="stopped")]
        assert (await restoring.undo(backend, asked)).state == "undone"
        assert (await restoring.replace(backend, asked)).state == "replaced"
        await restoring.confirm(backend, asked)
        assert (await restoring.restores(backend, asked)).items == ()


@pytest.mark.parametrize(
    ("state", "volumes", "error"),
    [
        ("running", {"work": "new"}, WrongState),
        ("waiting", {"work": "new"}, WrongState),
        ("suspended", {"other": "new"}, Conflict),
    ],
)
async def test_only_a_session_at_rest_mounts_other_volumes(
    state: State, volumes: Mapping[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error):
        remounted(replace(SESSION, state=state), volumes)
