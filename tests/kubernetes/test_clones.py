"""Snapshots of claims whose driver makes none: clones, which are no volumes of anybody."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import COPY
from jupyter_gpuquota.kubernetes.resources import CLAIMS, EVENTS
from jupyter_gpuquota.kubernetes.snapshots.claims import Restorer, Wanted
from jupyter_gpuquota.kubernetes.snapshots.copies import Copies, Orphans
from jupyter_gpuquota.kubernetes.snapshots.kinds import SELECTED_NODE, SNAPSHOT
from jupyter_gpuquota.kubernetes.snapshots.order import Order
from jupyter_gpuquota.kubernetes.snapshots.plan import CLONE, Batch
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_snapshots import (
    DRIVER,
    PATIENCE,
    SESSION,
    TEAM,
    Controller,
    Interrupted,
    Launches,
    cloning,
    provisioned,
    running,
)
from tests.kubernetes.snapshot_steps import MOST, complete, done, interrupted, restored, taken
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

ORDER = Order(id="o1", namespace=TEAM, session=SESSION.id, owner="digest")
BATCH = Batch(DRIVER, CLONE, ("work",), is_copy=True)


def clones(api: FakeApi) -> list[dict[str, Any]]:
    """Return the claims that are copies."""
    return [each for each in api.all(CLAIMS, TEAM) if COPY in each["metadata"].get("labels", {})]


def names(api: FakeApi) -> set[str]:
    """Return the names of all claims."""
    return {each["metadata"]["name"] for each in api.all(CLAIMS, TEAM)}


async def clone(api: FakeApi) -> Any:
    """Clone the claim, and return what became of it."""
    [found] = await Copies(api, PATIENCE).take(ORDER, [BATCH])
    return found


async def test_a_clone_is_taken_restored_and_removed(tmp_path: Path) -> None:
    api = cloning("10Gi")
    async with provisioned(api), running(api, tmp_path, Launches()) as controller:
        await taken(controller)
        made = await complete(controller)
        manifest = await controller.parts.snapshots.manifest(made)
        assert manifest
        [part] = manifest.volumes
        assert (part.provider, part.mechanism, part.consistency) == ("clone", "copy", "quiesced")
        assert (part.size, manifest.problems) == (10 * 2**30, ())
        [copy] = clones(api)
        assert part.handle == f"{TEAM}/{copy['metadata']['name']}"
        assert copy["spec"]["dataSource"] == {"kind": "PersistentVolumeClaim", "name": "work"}
        await restored(controller)
        await done(controller)
        [other] = names(api) - {"work", copy["metadata"]["name"]}
        source = api.raw(CLAIMS, TEAM, other)["spec"]["dataSource"]
        assert source == {"kind": "PersistentVolumeClaim", "name": copy["metadata"]["name"]}
        await wait_for(lambda: api.raw(CLAIMS, TEAM, other).get("status"))
        await controller.parts.snapshots.remove(made)
        assert names(api) == {"work", other}


async def test_a_clone_goes_on_after_each_call_at_which_its_controller_dies(tmp_path: Path) -> None:
    for number in range(MOST):
        api, launches, folder = cloning(), Launches(), tmp_path / str(number)
        async with provisioned(api):
            async with running(api, folder, launches) as one:
                at = Interrupted(api, number, one.die)
                one.use(at)
                await taken(one)
                await interrupted(one, at, Controller.die, complete)
            async with running(api, folder, launches) as two:
                assert (await complete(two)).state == "ready"
            assert len(clones(api)) == 1
        if not at.is_due:
            break
    assert 3 < number < MOST - 1


async def test_what_the_driver_refuses_is_told_and_leaves_nothing() -> None:
    api = cloning()
    task = asyncio.create_task(clone(api))
    await wait_for(lambda: clones(api))
    event = failed(api, "rpc error: code = InvalidArgument desc = cannot clone.")
    found = await task
    assert found.problem == f"the driver reports: {event.rstrip('.')}"
    assert names(api) == {"work"}


async def test_a_clone_that_exceeds_a_quota_is_named() -> None:
    api = cloning()
    api.fail(Fault(403, "Forbidden", "exceeded quota: storage"), "create", CLAIMS.plural)
    assert (await clone(api)).problem == "exceeded quota: storage"


async def test_a_clone_that_takes_long_is_waited_for() -> None:
    api = cloning()
    task = asyncio.create_task(clone(api))
    await wait_for(lambda: clones(api))
    failed(api, "rpc error: code = DeadlineExceeded desc = context deadline exceeded")
    await asyncio.sleep(2 * PATIENCE.error)
    assert not task.done()
    async with provisioned(api):
        assert (await task).problem == ""


async def test_a_clone_is_made_on_the_node_of_the_original() -> None:
    api = cloning()
    claim = api.raw(CLAIMS, TEAM, "work")
    noted = {**claim["metadata"]["annotations"], SELECTED_NODE: "node-1"}
    api.put(CLAIMS, {**claim, "metadata": {**claim["metadata"], "annotations": noted}})
    async with provisioned(api):
        assert (await clone(api)).problem == ""
    [copy] = clones(api)
    assert copy["metadata"]["annotations"][SELECTED_NODE] == "node-1"


async def test_a_clone_from_which_a_claim_waits_to_be_filled_is_kept() -> None:
    api = cloning()
    async with provisioned(api):
        found = await clone(api)
    wanted = Wanted(
        namespace=TEAM,
        snapshot=found.handle,
        name="late",
        origin="work",
        storage_class="fast",
        size=2**30,
        provider="clone",
    )
    copies = Copies(api, PATIENCE)
    await Restorer(api, copies).make([wanted], "restore", "me", "digest")
    with pytest.raises(InUse, match="late"):
        await copies.remove(TEAM, ORDER.id)


async def test_a_clone_that_no_manifest_names_goes_and_restored_claims_stay() -> None:
    api = cloning()
    async with provisioned(api):
        await clone(api)
    meta = {"name": "restored", "namespace": TEAM, "labels": {SNAPSHOT: "restore"}}
    status = {"phase": "Bound"}
    api.put(CLAIMS, {"metadata": meta, "spec": {}, "status": status})

    class Registry:
        def problems(self) -> tuple[str, ...]:
            return ()

        def all(self) -> tuple[Any, ...]:
            return ()

    def orphans(grace: timedelta) -> Orphans:
        copies, registry = Copies(api, PATIENCE), cast("Any", Registry())
        return Orphans(cast("Any", api), registry, copies, lambda: [TEAM], lambda: (), grace)

    assert await orphans(timedelta(hours=1)).remove() == ()
    assert len(clones(api)) == 1
    assert await orphans(timedelta(seconds=-60)).remove() == ()
    assert names(api) == {"work", "restored"}


def failed(api: FakeApi, message: str) -> str:
    """Let the driver report that the clone cannot be made, or not yet."""
    [copy] = clones(api)
    about = {key: copy["metadata"][key] for key in ("name", "namespace", "uid")}
    api.put(
        EVENTS,
        {
            "metadata": {"name": "e", "namespace": TEAM},
            "involvedObject": {"kind": "PersistentVolumeClaim", **about},
            "reason": "ProvisioningFailed",
            "message": message,
            "lastTimestamp": datetime.now(UTC).isoformat(),
        },
    )
    return message
