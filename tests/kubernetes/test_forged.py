"""Objects that claim to be of a session of another team: anyone can write any label and record."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.kubernetes.labels import RECORD
from jupyter_gpuquota.kubernetes.resources import PODS, SECRETS, STATEFUL_SETS
from tests.kubernetes.driving import Driver, controller, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster

pytestmark = pytest.mark.asyncio

NAME = "gpu-exp-1"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def api() -> FakeApi:
    """An API server on which every object is made in a second of its own."""
    seconds = count()
    return FakeApi(clock=lambda: NOW + timedelta(seconds=next(seconds)))


@pytest.fixture
def cluster(api: FakeApi) -> FakeCluster:
    return FakeCluster(api)


async def launched(driver: Driver, cluster: FakeCluster) -> str:
    """Return the id of a running session of ana in team-a."""
    made = await driver.sessions.create(spec(), "ana")
    await until(cluster, lambda: driver.only().state == "running")
    return made.id


def forged(raw: Any, name: str = NAME, **spec: str) -> dict[str, Any]:
    """Return a copy of an object for team-b, with a record that is changed there."""
    copy = deepcopy(raw)
    meta = copy["metadata"]
    for field in ("uid", "resourceVersion", "creationTimestamp", "ownerReferences"):
        meta.pop(field, None)
    meta["namespace"], meta["name"] = "team-b", name
    if spec:
        record = msgspec.json.decode(meta["annotations"][RECORD])
        record["session"]["spec"].update(spec)
        meta["annotations"][RECORD] = msgspec.json.encode(record).decode()
    return copy


@pytest.mark.parametrize("changed", [{}, {"project": "team-b"}])
async def test_a_forged_workload_changes_nothing(
    api: FakeApi, cluster: FakeCluster, changed: dict[str, str]
) -> None:
    async with controller(api) as driver:
        session_id = await launched(driver, cluster)
        raw = api.raw(STATEFUL_SETS, "team-a", NAME)
        await api.create(STATEFUL_SETS, "team-b", forged(raw, **changed))
        await driver.sessions.suspend(session_id)
        await until(cluster, lambda: driver.only().state == "suspended")
        assert driver.only().spec.project == "team-a"
    async with controller(api) as driver:
        assert (driver.only().id, driver.only().spec.project) == (session_id, "team-a")
        # The first controller may have shown what it had not written yet.
        await until(cluster, lambda: driver.only().state == "suspended")
        await driver.sessions.resume(session_id)
        await until(cluster, lambda: driver.only().state == "running")
        untouched = api.raw(STATEFUL_SETS, "team-b", NAME)
        assert untouched["spec"]["replicas"] == raw["spec"]["replicas"]


async def test_a_copy_of_another_name_is_no_session(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        await launched(driver, cluster)
        raw = api.raw(STATEFUL_SETS, "team-a", NAME)
        copy = forged(raw, "gpu-other")
        copy["metadata"]["namespace"] = "team-a"
        await api.create(STATEFUL_SETS, "team-a", copy)
    async with controller(api) as driver:
        assert driver.only().spec.name == "exp-1"


async def test_pods_of_another_namespace_are_not_of_the_session(
    api: FakeApi, cluster: FakeCluster
) -> None:
    async with controller(api) as driver:
        session_id = await launched(driver, cluster)
        [pod] = api.all(PODS, "team-a")
        api.put(PODS, forged(pod, pod["metadata"]["name"]))
        await driver.sessions.suspend(session_id)
        await until(cluster, lambda: driver.only().state == "suspended")
        assert [each["metadata"]["namespace"] for each in api.all(PODS)] == ["team-b"]


async def test_a_forged_secret_does_not_move_a_session(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        session_id = await launched(driver, cluster)
        record = api.raw(STATEFUL_SETS, "team-a", NAME)["metadata"]["annotations"][RECORD]
        secret = forged(api.raw(SECRETS, "team-a", NAME))
        secret["metadata"]["annotations"] = {RECORD: record}
        await api.create(SECRETS, "team-b", secret)
    async with controller(api) as driver:
        assert driver.only().spec.project == "team-a"
        assert not driver.reconciler._tracked[session_id].detached
