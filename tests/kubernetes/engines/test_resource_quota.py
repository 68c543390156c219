"""ResourceQuotas as engine, over an API server in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from jupyter_gpuquota.errors import InvalidFields, Outdated
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.engines.resource_quota.engine import ResourceQuotaEngine
from jupyter_gpuquota.kubernetes.engines.surroundings import (
    EngineSettings,
    GpuResources,
    Surroundings,
)
from jupyter_gpuquota.kubernetes.faults import translated
from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.kubernetes.resources import PODS, RESOURCE_QUOTAS
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.resources import MILLI
from jupyter_gpuquota.model.sessions import Session, SessionSpec
from tests.builders import make_session, make_spec
from tests.kubernetes.fake_api import FakeApi
from tests.waiting import wait_for

GPUS = GpuResources(milli="lab/milligpu")
WHOLE, PARTS = "requests.nvidia.com/gpu", "requests.lab/milligpu"


def quota(
    namespace: str = "team-a", name: str = "gpus", used: dict[str, str] | None = None, **hard: str
) -> dict[str, Any]:
    """Return a ResourceQuota as the server gives it; `whole` and `parts` are its limits."""
    names = {"whole": WHOLE, "parts": PARTS, "cpu": "requests.cpu"}
    limits = {names[key]: amount for key, amount in hard.items()}
    status = {"hard": limits, "used": dict.fromkeys(limits, "0") | (used or {})}
    meta = {"name": name, "namespace": namespace}
    return {"metadata": meta, "spec": {"hard": limits}, "status": status}


def request(spec: SessionSpec) -> PodPatch:
    milli = spec.share.milli
    whole = milli % MILLI == 0
    name, units = ("nvidia.com/gpu", milli // MILLI) if whole else ("lab/milligpu", milli)
    return PodPatch(milli=milli, resources={name: str(units)} if milli else {})


@asynccontextmanager
async def running(api: FakeApi, *sessions: Session) -> AsyncIterator[ResourceQuotaEngine]:
    watches = Watches(api)
    around = Surroundings(
        api=api,
        caches=watches,
        sessions=lambda: sessions,
        request=request,
        capacity=lambda: 8000,
        settings=EngineSettings(gpus=GPUS),
    )
    engine = ResourceQuotaEngine(around)
    await watches.start()
    await watches.ready()
    await engine.start(lambda: None)
    try:
        yield engine
    finally:
        await engine.close()
        await watches.close()


@pytest.fixture
def api() -> FakeApi:
    found = FakeApi(("team-a", "team-b"))
    found.put(RESOURCE_QUOTAS, quota(whole="4"))
    return found


async def test_namespaces_with_a_quota_of_gpus_are_projects(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota("team-b", cpu="8"))
    async with running(api) as engine:
        [project] = engine.projects()
        assert (project.name, project.quota, project.limit, project.weight) == (
            "team-a",
            4000,
            4000,
            0,
        )
        assert engine.patch(make_spec("x", "1", project="team-a")).labels == {}


async def test_the_lowest_of_several_quotas_counts(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota(name="strict", whole="3"))
    async with running(api) as engine:
        assert [project.quota for project in engine.projects()] == [3000]


async def test_whole_gpus_and_fractions_add_up(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota(whole="2", parts="2k"))
    async with running(api) as engine:
        assert [project.quota for project in engine.projects()] == [4000]
        assert not engine.warnings()


async def test_a_quota_of_fractions_alone_leaves_whole_gpus_unlimited(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota(parts="2k"))
    async with running(api) as engine:
        assert "whole GPUs are not limited there" in engine.warnings()[0]


PREVIEWS = [
    ("4", "fits", "Starts as soon as a node has 4 GPUs free. Uses 4 GPUs of your quota."),
    (
        "5",
        "forbidden",
        "team-a already uses 0 of its limit of 4 GPUs; 5 more would exceed it.",
    ),
    ("0.5", "fits", "Starts as soon as a node has 0.5 GPU free. Uses 0.5 GPU of your quota."),
    ("", "fits", "Starts now; no GPU needed."),
]


@pytest.mark.parametrize(("gpu", "verdict", "message"), PREVIEWS)
async def test_previews(api: FakeApi, gpu: str, verdict: str, message: str) -> None:
    async with running(api) as engine:
        found = await engine.preview(make_spec("x", gpu, project="team-a"))
        assert (found.verdict, found.message) == (verdict, message)


async def test_a_full_quota_makes_wait_and_says_so(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota(whole="4", used={WHOLE: "3"}))
    session = make_session("exp-1", "2", project="team-a")
    async with running(api, session) as engine:
        preview = await engine.preview(session.spec)
        assert preview.verdict == "waits"
        assert preview.message == (
            "team-a already uses 3 of its 4 GPUs; 2 more would exceed the quota, and it may not "
            "borrow."
        )
        admission = engine.admission(session)
        assert not admission.admitted
        assert admission.queue is not None
        assert admission.queue.reason == preview.reason
        position = await engine.position(session)
        assert (position.reason, position.position) == (preview.reason, 0)


async def test_a_session_with_a_pod_is_admitted(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota(whole="4", used={WHOLE: "4"}))
    session = make_session("exp-1", "2", project="team-a")
    labels = {SESSION: session.id}
    async with running(api, session) as engine:
        assert not engine.admission(session).admitted
        api.put(PODS, {"metadata": {"name": "p", "namespace": "team-a", "labels": labels}})
        await wait_for(lambda: engine.admission(session).admitted)


async def test_with_two_resources_whole_gpus_take_the_difference(api: FakeApi) -> None:
    api.put(RESOURCE_QUOTAS, quota(whole="2", parts="2k"))
    async with running(api) as engine:
        [old] = engine.projects()
        wanted = Project(name="team-a", quota=5500, revision=old.revision)
        changed = await engine.administration.change_project(wanted)
        assert changed.quota == 5500
        hard = api.raw(RESOURCE_QUOTAS, "team-a", "gpus")["spec"]["hard"]
        assert hard == {WHOLE: "3", PARTS: "2500"}


async def test_what_a_quota_cannot_keep_is_named(api: FakeApi) -> None:
    async with running(api) as engine:
        [old] = engine.projects()
        wanted = Project(
            name="team-a",
            quota=1500,
            limit=6000,
            weight=3000,
            leads=("ana",),
            revision=old.revision,
        )
        with pytest.raises(InvalidFields) as caught:
            await engine.administration.change_project(wanted)
        assert {error.field for error in caught.value.fields} == {
            "leads",
            "limit",
            "quota",
            "weight",
        }


async def test_a_refusal_of_the_server_is_translated(api: FakeApi) -> None:
    async with running(api) as engine:
        [old] = engine.projects()
        api.fail(Fault(422, "Invalid", "spec.hard: Invalid value"), "patch", "resourcequotas")
        with pytest.raises(InvalidFields, match="Invalid value"), translated():
            await engine.administration.change_project(
                Project(name="team-a", quota=1000, revision=old.revision)
            )


async def test_a_limit_is_changed(api: FakeApi) -> None:
    async with running(api) as engine:
        admin, [old] = engine.administration, engine.projects()
        wanted = Project(name="team-a", quota=2000, revision=old.revision)
        changed = await admin.change_project(wanted)
        assert (changed.quota, changed.limit) == (2000, 2000)
        assert api.raw(RESOURCE_QUOTAS, "team-a", "gpus")["spec"]["hard"] == {WHOLE: "2"}
        with pytest.raises(Outdated):
            await admin.change_project(Project(name="team-a", quota=1000, revision="old"))


async def test_a_limit_is_created_and_deleted_with_kubectl(api: FakeApi) -> None:
    async with running(api) as engine:
        admin = engine.administration
        [made] = await admin.objects_for(Project(name="team-b", quota=1000, revision=""))
        assert (made["kind"], made["metadata"]["namespace"]) == ("ResourceQuota", "team-b")
        assert made["spec"]["hard"] == {WHOLE: "1"}
        assert admin.deletion_of("team-a") == ["kubectl -n team-a delete resourcequota gpus"]
