"""Snapshots and restores of claims go on, whenever a controller ends or is not in charge."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Conflict, InvalidFields
from jupyter_gpuquota.kubernetes.resources import CLAIMS
from jupyter_gpuquota.kubernetes.snapshots.kinds import SNAPSHOTS
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from jupyter_gpuquota.model.snapshots.restore import RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotRequest
from tests.kubernetes.fake_snapshots import (
    SESSION,
    TEAM,
    Controller,
    Interrupted,
    Launches,
    cluster,
    driven,
    running,
)
from tests.kubernetes.snapshot_steps import (
    MOST,
    End,
    complete,
    done,
    interrupted,
    restored,
    taken,
)
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

ENDS = [Controller.die, Controller.lose, Controller.lapse]
"""What happens to a controller at a call."""


@pytest.mark.parametrize("end", ENDS)
async def test_a_snapshot_goes_on_after_each_call(end: End, tmp_path: Path) -> None:
    for number in range(MOST):
        api, launches, folder = cluster(), Launches(), tmp_path / str(number)
        async with driven(api):
            async with running(api, folder, launches) as one:
                at = Interrupted(api, number, lambda one=one: end(one))
                one.use(at)
                await taken(one)
                await interrupted(one, at, end, complete)
            async with running(api, folder, launches) as two:
                found = await complete(two)
                await wait_for(
                    lambda folder=folder: not list(folder.glob("own/snapshots/orders/*"))
                )
            manifest = await two.parts.snapshots.manifest(found)
            assert manifest
            assert [each.volume for each in manifest.volumes] == ["work"]
            assert manifest.problems == ()
            assert len(api.all(SNAPSHOTS)) == 1
            assert any("resume" in " ".join(each) for each in (*one.said, *two.said))
        if not at.is_due:
            break
    assert 3 < number < MOST - 1


async def test_patterns_are_refused_as_volumes_are_copied_whole(tmp_path: Path) -> None:
    api = cluster()
    async with driven(api), running(api, tmp_path, Launches()) as one:
        for able in (one.parts.snapshots.preview, one.parts.snapshots.create):
            more = ("request",) if able == one.parts.snapshots.create else ()
            with pytest.raises(InvalidFields) as refused:
                await able(SESSION, SnapshotRequest(exclude=("*.tmp",)), "me", *more)
            assert [each.field for each in refused.value.fields] == ["exclude"]
        assert one.parts.snapshots.all() == ()
        found = await one.parts.snapshots.preview(SESSION, SnapshotRequest(), "me")
        assert (found.files, found.size) == (None, None)


@pytest.mark.parametrize("end", ENDS)
async def test_a_restore_goes_on_after_each_call(end: End, tmp_path: Path) -> None:
    for number in range(MOST):
        api, launches, folder = cluster(), Launches(), tmp_path / str(number)
        async with driven(api):
            async with running(api, folder, launches) as one:
                await taken(one)
                await complete(one)
                at = Interrupted(api, number, lambda one=one: end(one))
                one.use(at)
                await restored(one)
                await interrupted(one, at, end, done)
            async with running(api, folder, launches) as two:
                await done(two)
            [session] = launches.all()
            [mount] = session.spec.mounts
            names = {each["metadata"]["name"] for each in api.all(CLAIMS, TEAM)}
            assert names == {"work", mount.volume}
        if not at.is_due:
            break
    assert 1 < number < MOST - 1


@pytest.mark.parametrize(
    ("original", "copied", "restored_to"),
    [("10Gi", "2Gi", 10), ("10Gi", None, 10), ("10Gi", "0", 10), ("1Gi", "3Gi", 3)],
)
async def test_a_restored_volume_is_as_large_as_the_original_and_its_content_need(
    tmp_path: Path, original: str, copied: str | None, restored_to: int
) -> None:
    api = cluster(original)
    async with driven(api, copied), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        made = await complete(controller)
        assert (made.size, made.added) == (restored_to * 2**30, None)
        await restored(controller)
        await done(controller)
    [claim] = [each for each in api.all(CLAIMS) if each["metadata"]["name"] != "work"]
    assert claim["spec"]["resources"]["requests"]["storage"] == str(restored_to * 2**30)


async def test_a_folder_is_not_asked_for_on_a_cluster(tmp_path: Path) -> None:
    api = cluster()
    async with driven(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        manifest = await controller.parts.snapshots.manifest(await complete(controller))
        assert manifest
        request = RestoreRequest(folder="/elsewhere")
        found = await controller.parts.snapshots.restores.found(manifest, request, "again")
        assert "not into a folder" in found.problems["folder"]
        await restored(controller)
        await done(controller)
        [listed] = controller.parts.snapshots.restores.all()
        assert listed.folder == ""
        assert listed.volumes == tuple(found.claims.values())


async def test_what_no_session_mounts_goes_with_a_restore_that_fails(tmp_path: Path) -> None:
    api, launches = cluster(), Launches()

    async def refused(_spec: SessionSpec, _owner: str) -> Session:
        raise Conflict("There is such a session.")

    async with driven(api), running(api, tmp_path, launches) as controller:
        await taken(controller)
        await complete(controller)
        launches.create = refused  # type: ignore[method-assign] (the fake's own, for one test)
        await restored(controller)
        restores = controller.parts.snapshots.restores
        await wait_for(lambda: [each.state for each in restores.all()] == ["failed"])
        await wait_for(lambda: len(api.all(CLAIMS, TEAM)) == 1)
        assert "such a session" in str(restores.all()[0].problem)


async def test_a_record_that_cannot_be_read_stops_no_other_restore(tmp_path: Path) -> None:
    api, launches = cluster(), Launches()
    async with driven(api):
        async with running(api, tmp_path, launches) as one:
            await taken(one)
            await complete(one)
            at = Interrupted(api, 0, one.die)
            one.use(at)
            await restored(one)
            await wait_for(lambda: at.is_due)
        (tmp_path / "own/snapshots/claims/cut.json").write_bytes(b'{"shown": {"id')
        async with running(api, tmp_path, launches) as two:
            await done(two)
            assert two.warnings() == ()
