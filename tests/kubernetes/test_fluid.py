"""Fluid: what it is asked for, and what it says, read honestly."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jupyter_gpuquota.kubernetes.builders.datasets import (
    dataset_mounts,
    dataset_volumes,
    near_claim,
)
from jupyter_gpuquota.kubernetes.builders.defaults import PodDefaults
from jupyter_gpuquota.kubernetes.datasets.fluid import (
    DATASETS,
    LOADS,
    DatasetStatus,
    Fluid,
    LoadStatus,
    near_of,
)
from jupyter_gpuquota.kubernetes.datasets.nearby import Nearby
from jupyter_gpuquota.model.datasets.caches import CachedVersion, Lease
from jupyter_gpuquota.model.datasets.mounts import DataMount
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_claims import NOW, TEAM, controller, put_claim
from tests.kubernetes.test_builders import image_session

COPY = ("mnist", "a" * 64)
SPEC = {"replicas": 2, "tieredstore": {"levels": [{"mediumtype": "SSD", "path": "/cache"}]}}


@pytest.mark.parametrize(
    ("states", "share", "held"),
    [
        ({"cachedPercentage": "57.3%", "cached": "171.93GiB"}, 0.573, 184_608_431_800),
        ({"cachedPercentage": "100.0%", "cached": "10MiB"}, 1.0, 10_485_760),
        ({"cachedPercentage": "0.0%", "cached": "0.00B"}, 0.0, 0),
        ({"cachedPercentage": "N/A", "cached": "N/A"}, None, None),
        ({}, None, None),
        ({"cachedPercentage": "lots", "cached": "1 GiB of 2"}, None, None),
    ],
)
def test_a_complete_load_is_what_is_cached(
    states: dict[str, str], share: float | None, held: int | None
) -> None:
    found = near_of(DatasetStatus(phase="Bound", cache_states=states), LoadStatus(phase="Complete"))
    assert found.loaded
    assert (found.share, found.held) == (share, held)
    assert found.is_whole == (share == 1.0)


@pytest.mark.asyncio
async def test_a_version_is_loaded_once_read_and_dropped() -> None:
    api = FakeApi()
    fluid = Fluid(api, "AlluxioRuntime", SPEC)
    assert not (await fluid.near("team-a", COPY)).mounted
    for _ in range(2):
        await fluid.load("team-a", "datasets", COPY)
    name = near_claim(*COPY)
    raw = api.raw(DATASETS, "team-a", name)
    [mount] = raw["spec"]["mounts"]
    assert mount["mountPoint"] == f"pvc://datasets/mnist/{COPY[1]}/tree"
    assert mount["readOnly"]
    load = api.raw(LOADS, "team-a", name)
    assert load["spec"]["dataset"] == {"name": name, "namespace": "team-a"}
    api.put(LOADS, {**load, "status": {"phase": "Complete"}})
    states = {"cachedPercentage": "57.0%", "cached": "1GiB"}
    api.put(DATASETS, {**raw, "status": {"phase": "Bound", "cacheStates": states}})
    found = await fluid.near("team-a", COPY)
    assert (found.share, found.loaded, found.is_whole) == (0.57, True, False)
    await fluid.remove("team-a", COPY)
    await fluid.remove("team-a", COPY)
    assert not api.all(DATASETS)
    assert not api.all(LOADS)


@pytest.mark.asyncio
async def test_a_load_that_fluid_has_removed_leaves_a_mounted_version() -> None:
    api = FakeApi()
    fluid, name = Fluid(api, "AlluxioRuntime", SPEC), near_claim(*COPY)
    await fluid.load("team-a", "datasets", COPY)
    raw = api.raw(DATASETS, "team-a", name)
    api.put(DATASETS, {**raw, "status": {"phase": "Bound"}})
    await api.delete(LOADS, "team-a", name)
    found = await fluid.near("team-a", COPY)
    assert (found.mounted, found.loaded, found.share) == (True, False, None)


@pytest.mark.parametrize(
    ("dataset", "load", "failed"),
    [("Bound", "Failed", True), ("Failed", "", True), ("Bound", "Executing", False)],
)
def test_a_failure_is_not_a_load(dataset: str, load: str, *, failed: bool) -> None:
    found = near_of(DatasetStatus(phase=dataset), LoadStatus(phase=load))
    assert (found.failed, found.loaded, found.is_whole) == (failed, False, False)


def test_names_are_valid_and_apart() -> None:
    long = ("x" * 63, "b" * 64)
    assert len(near_claim(*long)) <= 63
    assert near_claim(*long) != near_claim(long[0], "c" * 64)


LEASE = Lease(session="s1", name="exp-1", project=TEAM, since=NOW)


@pytest.mark.asyncio
async def test_what_sessions_use_is_held_by_nodes_and_the_rest_is_told() -> None:
    api = FakeApi((TEAM,))
    put_claim(api)
    async with controller(api, {(TEAM, COPY): LEASE}) as found:
        cache = await found.projects.open(TEAM)
        copy = CachedVersion(
            dataset=COPY[0], version=COPY[1], state="cached", size=1, files=1, used=NOW
        )
        cache.replace([copy], 1, NOW)
        near = Nearby(Fluid(api, "AlluxioRuntime", SPEC), found.projects)
        await near.step()
        assert not near.is_mounted(TEAM, COPY)
        for kind, status in (
            (DATASETS, {"phase": "Bound", "cacheStates": {"cachedPercentage": "57.0%"}}),
            (LOADS, {"phase": "Complete"}),
        ):
            api.put(kind, {**api.raw(kind, TEAM, near_claim(*COPY)), "status": status})
        await near.step()
        assert near.is_mounted(TEAM, COPY)
        [said] = near.warnings()
        assert "complete, and holds 57% of it" in said
        cache.replace([], 1, NOW + timedelta(seconds=1))
        await near.step()
        assert not api.all(DATASETS)
        assert not list(near.warnings())


@pytest.mark.asyncio
async def test_the_next_controller_drops_what_the_last_one_loaded() -> None:
    api = FakeApi((TEAM,))
    put_claim(api)
    fluid = Fluid(api, "AlluxioRuntime", SPEC)
    await fluid.load(TEAM, "datasets", COPY)
    raw = api.raw(DATASETS, TEAM, near_claim(*COPY))
    api.put(DATASETS, {**raw, "status": {"phase": "Bound"}})
    async with controller(api) as found:
        cache = await found.projects.open(TEAM)
        copy = CachedVersion(
            dataset=COPY[0], version=COPY[1], state="cached", size=1, files=1, used=NOW
        )
        cache.replace([copy], 1, NOW)
        near = Nearby(fluid, found.projects)
        await near.step()
        assert near.is_mounted(TEAM, COPY)
        cache.replace([], 1, NOW + timedelta(seconds=1))
        await near.step()
        assert not api.all(DATASETS)


def test_sessions_mount_what_nodes_hold() -> None:
    mount = DataMount(dataset=COPY[0], version=COPY[1])
    session = image_session(data=(mount,))
    defaults = PodDefaults(data_claim="datasets", data_near=True)
    [volume] = dataset_volumes(session, defaults)
    assert volume["persistentVolumeClaim"] == {"claimName": near_claim(*COPY), "readOnly": True}
    [inside] = dataset_mounts(session, defaults)
    assert (inside["name"], inside["mountPath"]) == (volume["name"], "/data/mnist")
    assert "subPath" not in inside
