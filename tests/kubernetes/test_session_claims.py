"""Claims that are made with sessions: they survive them, and are made once."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import OWNER, SESSION
from jupyter_gpuquota.kubernetes.resources import CLAIMS, PODS
from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.kubernetes.driving import controller, settled, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster

pytestmark = pytest.mark.asyncio
NEW = Mount(volume="exp-out", path="/out", storage_class="shared", size=2**30)


async def test_a_claim_is_made_with_a_session_and_survives_it():
    api = FakeApi()
    cluster = FakeCluster(api)
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(volumes=(NEW,)), "me")
        await until(cluster, lambda: driver.only().state == "running")
        [claim] = api.all(CLAIMS)
        assert claim["metadata"]["labels"][SESSION] == session.id
        assert claim["metadata"]["annotations"][OWNER] == "me"
        assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]
        await driver.sessions.stop(session.id)
        await until(cluster, lambda: driver.only().state == "stopped")
        await driver.sessions.delete(session.id)
        await settled(cluster, api)
    assert api.all(CLAIMS) == [claim]


async def test_a_claim_that_was_deleted_is_not_made_again():
    api = FakeApi()
    cluster = FakeCluster(api)
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(volumes=(NEW,)), "me")
        await until(cluster, lambda: driver.only().state == "running")
        await driver.sessions.stop(session.id)
        await until(cluster, lambda: driver.only().state == "stopped")
        api.controls.store.delete(CLAIMS, session.spec.project, "exp-out")
        await driver.sessions.resume(session.id)
        await until(cluster, lambda: driver.only().state == "running")
    assert not api.all(CLAIMS)


async def test_a_claim_goes_with_a_session_that_never_started():
    api = FakeApi()
    cluster = FakeCluster(api)
    cluster.has_room = False
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(command=(), volumes=(NEW,)), "me")
        await until(cluster, lambda: api.all(PODS))
        assert api.all(CLAIMS)
        assert await driver.sessions.withdraw(session.id)
    assert not api.all(CLAIMS)


async def test_a_claim_of_something_else_is_never_taken():
    api = FakeApi()
    cluster = FakeCluster(api)
    other = {"metadata": {"name": "exp-out", "namespace": spec().project}, "spec": {}}
    api.put(CLAIMS, other)
    async with controller(api) as driver:
        await driver.sessions.create(spec(volumes=(NEW,)), "me")
        await until(cluster, lambda: driver.only().reason)
        assert "exp-out already exists" in driver.only().reason.message
        assert driver.only().state == "waiting"
        assert not cluster.started


async def test_a_withdrawn_right_is_told_and_makes_nothing_half():
    api = FakeApi()
    cluster = FakeCluster(api)
    refused = Fault(403, "Forbidden", "no right")
    injected = api.fail(refused, "create", CLAIMS.plural, times=None)
    async with controller(api) as driver:
        await driver.sessions.create(spec(volumes=(NEW,)), "me")
        await until(cluster, lambda: driver.only().reason)
        assert "no right" in driver.only().reason.message
        assert not api.all(CLAIMS)
        assert not cluster.started
        injected.times = 0
        await until(cluster, lambda: driver.only().state == "running")
    assert len(api.all(CLAIMS)) == 1
