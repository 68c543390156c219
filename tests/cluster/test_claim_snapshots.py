"""Claims are copied, restored and removed with the real snapshot-controller."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from jupyter_gpuquota.errors import InUse
from jupyter_gpuquota.kubernetes.resources import CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES
from jupyter_gpuquota.kubernetes.snapshots.claims import Restorer, Wanted, claim_name
from jupyter_gpuquota.kubernetes.snapshots.copies import Copies
from jupyter_gpuquota.kubernetes.snapshots.kinds import (
    GROUPED,
    SNAPSHOT,
    SNAPSHOTS,
    Offer,
    discover,
)
from jupyter_gpuquota.kubernetes.snapshots.order import Order, Patience, copy_name
from jupyter_gpuquota.kubernetes.snapshots.plan import Storage, plan
from scripts.cluster.setup import wait_for
from scripts.cluster.storage import faults
from tests.cluster.storage import claim, path_of, snapshot, stateful_set_with

pytestmark = pytest.mark.asyncio

SOON = Patience(ready=60, error=1, pause=0.1)
GIB = 2**30


@pytest.fixture
def team(kubelet, teams):
    return teams.plain("team-a", processes=True)


@pytest.fixture
def order(team, name):
    return Order(id=name, namespace=team.namespace, session="s1", owner="0" * 32)


@pytest.fixture
def opened(connected):
    """Returns what takes snapshots: `async with opened() as (api, offer)`."""

    @asynccontextmanager
    async def opening():
        async with connected() as api:
            yield api, await discover(api)

    return opening


def with_content(kubelet, team, name, **options):
    """Create a claim with a file that has its name."""
    rest, made = kubelet.rest(), claim(team, name, **options)
    rest.create(made)
    wait_for(lambda: rest.get(path_of(made))["status"]["phase"] == "Bound", "it is bound")
    folder = kubelet.claim(team.namespace, name)
    (folder / "name").write_text(name)
    return folder


async def take(api, offer, order, *, patience=SOON):
    claims = await api.list(CLAIMS, order.namespace)
    wanted = plan(claims, offer)
    assert not wanted.problems
    taken = await Copies(api, patience).take(order, wanted.batches)
    return {each.claim: each for each in taken}


def wanted(team, origin, handle, **changes):
    made = Wanted(
        namespace=team.namespace,
        snapshot=handle,
        name=claim_name("again", origin),
        origin=origin,
        storage_class="test-csi",
        size=GIB,
    )
    return replace(made, **changes)


async def test_what_a_cluster_offers_is_asked_of_its_api(opened):
    async with opened() as (_, offer):
        assert offer.is_installed
        assert offer.version == "v1beta2"
        assert {each.metadata.name for each in offer.classes} >= {"test-csi", "test-csi-retain"}


async def test_a_claim_is_copied_and_restored_with_its_content(kubelet, team, order, opened):
    folder = with_content(kubelet, team, "work")
    async with opened() as (api, offer):
        taken = (await take(api, offer, order))["work"]
        assert (taken.problem, taken.size, taken.is_copy) == ("", GIB, False)
        (folder / "name").write_text("changed")
        restorer = Restorer(api, Copies(api))
        made = [wanted(team, "work", taken.handle)]
        assert await restorer.problems(made, team.namespace) == {}
        for _ in range(2):  # a second try changes nothing
            await restorer.make(made, order.id, "ana", order.owner)
    restored = kubelet.claim(team.namespace, made[0].name) / "name"
    wait_for(restored.exists, "the claim is filled")
    assert restored.read_text() == "work"


async def test_claims_of_one_driver_are_copied_at_the_same_moment(kubelet, team, order, opened):
    for name in ("home", "data"):
        with_content(kubelet, team, name)
    async with opened() as (api, offer):
        taken = await take(api, offer, order)
        assert {each.provider for each in taken.values()} == {"csi-group/v1beta2"}
        found = await api.list(SNAPSHOTS, team.namespace, f"{SNAPSHOT}={order.id}")
        assert {each.metadata.name for each in found} == {each.handle for each in taken.values()}
        for each in await api.list(CLAIMS, team.namespace):
            assert not [key for key in each.metadata.labels if key.startswith(GROUPED)]
        await Copies(api, SOON).remove(team.namespace, order.id)
        assert await api.list(SNAPSHOTS, team.namespace) == []


async def test_a_group_that_fails_is_taken_one_by_one(kubelet, team, order, opened):
    with_content(kubelet, team, "home")
    with_content(kubelet, team, "data", annotations={faults.annotation("snapshot"): faults.FAIL})
    async with opened() as (api, offer):
        taken = await take(api, offer, order)
        assert taken["home"].problem == ""
        assert "the group failed" in taken["home"].why
        assert faults.FAILURE in taken["data"].problem
        await Copies(api, SOON).remove(team.namespace, order.id)


async def test_one_that_never_gets_ready_ends_with_the_deadline(kubelet, team, order, opened):
    with_content(kubelet, team, "work", annotations={faults.annotation("snapshot"): faults.NEVER})
    async with opened() as (api, offer):
        short = replace(SOON, ready=1)
        taken = (await take(api, offer, order, patience=short))["work"]
        assert taken.problem == "not ready after 1 s"
        await Copies(api, SOON).remove(team.namespace, order.id)


async def test_a_slow_one_is_continued_by_the_next_try(kubelet, team, order, opened):
    with_content(kubelet, team, "work", annotations={faults.annotation("snapshot"): "3"})
    async with opened() as (api, offer):
        first = asyncio.create_task(take(api, offer, order))
        name = copy_name(order, "work")
        rest, path = kubelet.rest(), path_of(snapshot(team, "", ""))
        await asyncio.to_thread(wait_for, lambda: rest.get(path)["items"], "it is begun")
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        taken = (await take(api, offer, order))["work"]
        assert (taken.handle, taken.problem) == (name, "")
        assert len(await api.list(SNAPSHOTS, team.namespace)) == 1


async def test_a_snapshot_outlives_its_claim(kubelet, team, order, opened):
    with_content(kubelet, team, "work")
    async with opened() as (api, offer):
        taken = (await take(api, offer, order))["work"]
        await api.delete(CLAIMS, team.namespace, "work")
        made = [wanted(team, "work", taken.handle)]
        assert await Restorer(api, Copies(api)).problems(made, team.namespace) == {}


@pytest.mark.parametrize("kind", ["test-csi", "test-csi-waits"])
async def test_a_claim_without_a_class_of_snapshots_is_cloned(kubelet, team, order, opened, kind):
    made = claim(team, "work", storageClassName=kind)
    rest = kubelet.rest()
    rest.create(made)
    rest.create(stateful_set_with(team, "user", "work"))
    wait_for(lambda: rest.get(path_of(made))["status"]["phase"] == "Bound", "it is bound")
    (kubelet.claim(team.namespace, "work") / "name").write_text("work")
    async with opened() as (api, _):
        [bound] = await api.list(CLAIMS, team.namespace)
        storage = Storage(
            classes=await api.list(STORAGE_CLASSES),
            volumes=[await api.get(PERSISTENT_VOLUMES, "", bound.spec.volume_name)],
        )
        [batch] = plan([bound], Offer(), storage).batches
        copies = Copies(api, SOON)
        [taken] = await copies.take(order, [batch])
        assert (taken.problem, taken.provider) == ("", "clone")
        assert (kubelet.claim(team.namespace, taken.handle) / "name").read_text() == "work"
        again = wanted(team, "work", taken.handle, provider=taken.provider)
        assert await Restorer(api, copies).problems([again], team.namespace) == {}
        await Restorer(api, copies).make([again], "restore", "ana", order.owner)
        restored = kubelet.claim(team.namespace, again.name) / "name"
        await asyncio.to_thread(wait_for, restored.exists, "it is filled")
        late = claim(team, again.name)
        wait_for(lambda: rest.get(path_of(late))["status"]["phase"] == "Bound", "it is bound")
        await copies.remove(team.namespace, order.id)
        left = {each.metadata.name for each in await api.list(CLAIMS, team.namespace)}
        assert left == {"work", again.name}


async def test_a_claim_that_waits_for_its_session_is_no_failure_but_holds_the_snapshot(
    kubelet, team, order, opened
):
    with_content(kubelet, team, "work")
    async with opened() as (api, offer):
        taken = (await take(api, offer, order))["work"]
        late = wanted(team, "work", taken.handle, storage_class="test-csi-waits")
        restorer = Restorer(api, Copies(api))
        assert await restorer.problems([late], team.namespace) == {}
        await restorer.make([late], order.id, "ana", order.owner)
        with pytest.raises(InUse, match=late.name):
            await Copies(api, SOON).remove(team.namespace, order.id)
        kubelet.rest().create(stateful_set_with(team, "user", late.name))
        restored = kubelet.claim(team.namespace, late.name) / "name"
        wait_for(restored.exists, "its session has come, and it is filled")
        bound = f"/api/v1/namespaces/{team.namespace}/persistentvolumeclaims/{late.name}"
        rest = kubelet.rest()
        wait_for(lambda: rest.get(bound)["status"]["phase"] == "Bound", "it is bound")
        await Copies(api, SOON).remove(team.namespace, order.id)


async def test_what_is_in_the_way_is_told_before_anything_is_made(kubelet, team, order, opened):
    with_content(kubelet, team, "work")
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "storage", "namespace": team.namespace},
        "spec": {"hard": {"requests.storage": "3Gi"}},
    }
    kubelet.rest().create(quota)
    path = f"/api/v1/namespaces/{team.namespace}/resourcequotas/storage"
    wait_for(lambda: "used" in kubelet.rest().get(path).get("status", {}), "the quota counts")
    async with opened() as (api, offer):
        taken = (await take(api, offer, order))["work"]
        restorer = Restorer(api, Copies(api))

        async def problem(target=team.namespace, **changes):
            made = [wanted(team, "work", taken.handle, **changes)]
            return (await restorer.problems(made, target)).get("work", "")

        assert "in the namespace" in await problem("team-b")
        assert "was deleted" in await problem(snapshot="gone")
        assert "storage class nosuch is gone" in await problem(storage_class="nosuch")
        assert "limit requests.storage=3Gi" in await problem(size=9 * GIB)
        assert "already" in await problem(name="work")
        assert await problem(size=1) == ""  # never smaller than the content needs
        claims = await api.list(CLAIMS, team.namespace)
        assert [each.metadata.name for each in claims] == ["work"]


async def test_storage_goes_although_its_class_retains_it(kubelet, team, order, opened):
    with_content(kubelet, team, "work")
    async with opened() as (api, offer):
        classes = [each for each in offer.classes if each.metadata.name == "test-csi-retain"]
        taken = (await take(api, replace(offer, classes=tuple(classes)), order))["work"]
        found = await api.get(SNAPSHOTS, team.namespace, taken.handle)
        content = found.status.bound_volume_snapshot_content_name
        await Copies(api, SOON).remove(team.namespace, order.id)
        rest, path = kubelet.rest(), "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents"

        def gone():
            items = rest.get(path)["items"]
            return content not in [one["metadata"]["name"] for one in items]

        wait_for(gone, "the storage is free")
