"""Datasets of sessions: in their pods, waited for without a quota, fetched, and kept."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.session_manifests import SessionManifests
from jupyter_gpuquota.kubernetes.builders.workload import workload
from jupyter_gpuquota.kubernetes.datasets.session_data import SessionData
from jupyter_gpuquota.kubernetes.engines.engine import EnginePatch
from jupyter_gpuquota.kubernetes.reconcile.kinds import WorkloadKinds
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.state.record import shape_of
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.messages.build import reason
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.struct import Problem
from tests.kubernetes.driving import controller as reconciling
from tests.kubernetes.driving import settled, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_claims import (
    OTHER,
    TEAM,
    Controller,
    Volumes,
    controller,
    version,
)
from tests.kubernetes.fake_cluster import FakeCluster
from tests.kubernetes.test_builders import NO_GPU, image_session
from tests.waiting import wait_for

ONE = version()
MOUNT = DataMount(dataset=ONE.dataset, version=ONE.id, path="/train")
DEFAULTS = PodDefaults(data_claim="datasets")


def pod_of(session: Session) -> dict[str, Any]:
    made = workload(session, Parts(share=NO_GPU, defaults=DEFAULTS))
    found: dict[str, Any] = made["spec"]["template"]["spec"]
    return found


def test_versions_are_mounted_by_name_and_where_they_are_wanted() -> None:
    found = pod_of(image_session(data=(MOUNT,)))
    [container] = found["containers"]
    mount = {"name": "datasets", "subPath": f"mnist/{ONE.id}/tree", "readOnly": True}
    mounts = [each for each in container["volumeMounts"] if each["name"] == "datasets"]
    assert mounts == [{**mount, "mountPath": path} for path in ("/data/mnist", "/train")]
    claim = {"claimName": "datasets", "readOnly": True}
    assert {"name": "datasets", "persistentVolumeClaim": claim} in found["volumes"]
    assert {"name": "GPUQUOTA_DATASETS", "value": "/data"} in container["env"]


def test_a_session_without_datasets_has_none_of_it() -> None:
    assert "datasets" not in str(pod_of(image_session())).lower()


def test_datasets_change_what_pods_are_made_from() -> None:
    assert shape_of(image_session()) != shape_of(image_session(data=(MOUNT,)))


@pytest.mark.asyncio
async def test_a_training_is_out_of_its_queue_until_its_data_is_there() -> None:
    session = image_session(kind="train", command=("x",), data=(MOUNT,))
    engine = EnginePatch(labels={"queue": "gpus", "class": "train"}, held={"queue": "nowhere"})
    parts = Parts(engine=engine, share=NO_GPU, defaults=DEFAULTS)
    made = SessionManifests(lambda _: parts, DEFAULTS, lambda *_: (), WorkloadKinds())
    _, workload_ = await made.workload(session)
    before, after = workload_["metadata"]["labels"], made.released(session)
    assert (before["queue"], after["queue"]) == ("nowhere", "gpus")
    assert before == {**after, "queue": "nowhere"}
    other = replace(session, spec=replace(session.spec, data=()))
    _, workload_ = await made.workload(other)
    assert workload_["metadata"]["labels"]["queue"] == "gpus"


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["interactive", "train"])
async def test_a_session_has_no_pod_until_its_data_is_there(kind: str) -> None:
    api = FakeApi()
    cluster = FakeCluster(api)
    async with reconciling(api) as driver:
        why = reason("DataPending", "data.fetching", data="mnist", done=43)
        driver.facts.missing = why
        made = await driver.sessions.create(spec(kind=kind, data=(MOUNT,)), "me")
        await settled(cluster, api)
        waiting = driver.only()
        assert (waiting.state, waiting.reason) == ("waiting", why)
        assert not api.all(PODS)
        driver.facts.missing = None
        driver.reconciler.wake(made.id)
        await until(cluster, lambda: driver.only().state == "running")
        assert driver.only().reason is None


@pytest.mark.asyncio
async def test_a_session_that_waits_for_data_can_be_stopped() -> None:
    api = FakeApi()
    cluster = FakeCluster(api)
    async with reconciling(api) as driver:
        driver.facts.missing = reason("DataPending", "data.waiting", data="mnist")
        made = await driver.sessions.create(spec(data=(MOUNT,)), "me")
        await settled(cluster, api)
        await driver.sessions.stop(made.id)
        await until(cluster, lambda: driver.only().state == "stopped")
        assert api.all(STATEFUL_SETS)
        assert not api.all(PODS)
        assert not api.all(JOBS)


class Sessions:
    """Sessions with data, and those that were looked at."""

    def __init__(self) -> None:
        self.all: list[Session] = []
        self.woken: list[str] = []

    def add(self, name: str = "exp-1", state: Any = "waiting", project: str = TEAM) -> Session:
        session = image_session(name, data=(MOUNT,), project=project)
        self.all.append(replace(session, state=state))
        return self.all[-1]


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


async def version_of(dataset: str, version_id: str) -> Version:
    return ONE


def data_of(found: Controller, sessions: Sessions) -> SessionData:
    data = SessionData(found.projects, lambda: sessions.all, sessions.woken.append)
    found.listeners.append(data)
    return data


def said(data: SessionData, session: Session) -> str:
    why = data.why(session)
    return why.message if why else ""


@pytest.mark.asyncio
async def test_what_a_session_waits_for_is_fetched_for_it(
    api: FakeApi, volumes: Volumes, sessions: Sessions
) -> None:
    session = sessions.add()
    async with controller(api) as found:
        data = data_of(found, sessions)
        assert "Waiting for mnist@aaaaaaaaaaaa to be cached" in said(data, session)
        volumes.held.add("cache")
        await data.tend(found.caches, found.work, version_of)
        await wait_for(lambda: "Fetching mnist@aaaaaaaaaaaa: 50 %" in said(data, session))
        assert sessions.woken == [session.id]
        volumes.held.clear()
        await wait_for(lambda: data.why(session) is None)
        data.changed()
        assert sessions.woken[-1] == session.id
        [job] = found.registry.of("cache")
        assert job.user == session.owner
        [lease] = data.leases(TEAM, (ONE.dataset, ONE.id))
        assert (lease.project, lease.name) == (TEAM, "exp-1")


@pytest.mark.asyncio
async def test_what_nobody_waits_for_any_more_is_cancelled(
    api: FakeApi, volumes: Volumes, sessions: Sessions
) -> None:
    sessions.add()
    volumes.held.add("cache")
    async with controller(api) as found:
        data = data_of(found, sessions)
        await data.tend(found.caches, found.work, version_of)
        await wait_for(lambda: volumes.works("cache"))
        sessions.all.clear()
        await data.tend(found.caches, found.work, version_of)
        [job] = await wait_for(lambda: [j for j in found.registry.of("cache") if not j.active])
        assert job.state == "cancelled"


@pytest.mark.asyncio
async def test_a_failure_is_the_reason_and_not_tried_again_at_once(
    api: FakeApi, volumes: Volumes, sessions: Sessions
) -> None:
    session = sessions.add()
    async with controller(api) as found:
        await found.work.look(await found.projects.open(TEAM))
        await wait_for(lambda: found.registry.of("index")[0].state == "done")
        data = data_of(found, sessions)
        volumes.problem = Problem(code="Damaged", message="a.png in the lake is damaged.")
        await data.tend(found.caches, found.work, version_of)
        await wait_for(lambda: "a.png in the lake is damaged." in said(data, session))
        await data.tend(found.caches, found.work, version_of)
        assert len(found.registry.of("cache")) == 1


@pytest.mark.asyncio
async def test_a_project_without_a_claim_says_so(
    api: FakeApi, volumes: Volumes, sessions: Sessions
) -> None:
    session = sessions.add(project=OTHER)
    async with controller(api) as found:
        data = data_of(found, sessions)
        await data.tend(found.caches, found.work, version_of)
        assert "team-b has no claim datasets" in said(data, session)


@pytest.mark.asyncio
@pytest.mark.parametrize(("state", "kept"), [("running", 1), ("stopping", 1), ("stopped", 0)])
async def test_sessions_that_are_live_keep_versions(
    api: FakeApi, sessions: Sessions, state: str, kept: int
) -> None:
    sessions.add(state=state)
    async with controller(api) as found:
        data = data_of(found, sessions)
        assert len(data.leases(TEAM, (ONE.dataset, ONE.id))) == kept
        assert not data.leases(OTHER, (ONE.dataset, ONE.id))
