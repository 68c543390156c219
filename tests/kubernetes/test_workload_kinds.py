"""Workloads that not every cluster has, as a controller discovers and reads them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import MANAGED_BY, MANAGER, PROCESS, RECORD, SESSION
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.reconcile.objects import SessionObjects
from jupyter_gpuquota.kubernetes.resources import (
    EVENTS,
    JOB_SETS,
    JOBS,
    MPI_JOBS,
    PODS,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    Resource,
)
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.kubernetes.fake_api import FakeApi
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

LABELS = {MANAGED_BY: MANAGER, SESSION: "id-exp-1"}


class All:
    """All rights."""

    async def lacking(self, *_: Any) -> str:
        return ""


def training(framework: Any) -> Session:
    session = make_session("exp-1", "1", kind="train", project="team-a", command=("train",))
    session = replace(session, id="id-exp-1")
    return replace(session, spec=replace(session.spec, processes=2, framework=framework))


@asynccontextmanager
async def reading(api: FakeApi, **served: str) -> AsyncIterator[tuple[SessionObjects, list[str]]]:
    """Yield the objects of a cluster that serves groups, and the sessions that change."""
    for group, version in served.items():
        name = group.replace("__", "-").replace("_", ".")
        api.controls.answers[f"/apis/{name}"] = {"versions": [{"version": version}]}
    watches, changed = Watches(api), list[str]()
    objects = SessionObjects(watches, "ours")
    objects.subscribe(changed.append)
    await watches.start()
    try:
        await objects.discover(api, All())
        await watches.ready()
        yield objects, changed
    finally:
        await watches.close()


async def put(
    api: FakeApi, kind: Resource[Any], name: str, owner: Object | None = None, **meta: Any
) -> Any:
    found = {"name": name, "labels": LABELS, **meta}
    if owner:
        reference = {"kind": "Owner", "name": owner.metadata.name, "uid": owner.metadata.uid}
        found["ownerReferences"] = [reference]
    namespace = "team-a" if kind.namespaced else ""
    return await api.create(kind, namespace, {"metadata": found, "spec": {}})


async def test_pods_of_a_train_job_are_found_through_its_job_set() -> None:
    api = FakeApi(("team-a",))
    serves = {"trainer_kubeflow_org": "v1alpha1", "jobset_x__k8s_io": "v1alpha2"}
    async with reading(api, **serves) as (objects, changed):
        assert TRAIN_JOBS in objects.kinds.served
        assert objects.kinds.runtime() is None
        await put(api, TRAINING_RUNTIMES, "ours")
        record = {RECORD: "{}"}
        top = await put(api, TRAIN_JOBS, "gpu-exp-1", annotations=record)
        job_set = await put(api, JOB_SETS, "gpu-exp-1", top)
        job = await put(api, JOBS, "gpu-exp-1-node-0", job_set)
        await put(api, PODS, "p1", job, labels={**LABELS, PROCESS: "1"})
        await put(api, PODS, "stranger", labels={**LABELS, PROCESS: "1"})
        session = training("torch")
        await wait_for(lambda: objects.pod(session, 1) is not None and objects.kinds.runtime())
        found = objects.workload(session)
        assert found is not None
        assert found.metadata.uid == top.metadata.uid
        assert list(objects.between(found)) == [job_set.metadata.uid, job.metadata.uid]
        pod = objects.pod(session, 1)
        assert pod is not None
        assert pod.metadata.name == "p1"
        changed.clear()
        about = {"uid": job.metadata.uid, "kind": "Job", "name": "gpu-exp-1-node-0"}
        event = {"metadata": {"name": "e"}, "involvedObject": about, "reason": "FailedCreate"}
        await api.create(EVENTS, "team-a", event)
        await wait_for(lambda: objects.events(session))
        assert [each.reason for each in objects.events(session)] == ["FailedCreate"]
        assert set(changed) == {"id-exp-1"}


async def test_a_cluster_without_job_sets_makes_no_train_jobs() -> None:
    async with reading(FakeApi(("team-a",)), trainer_kubeflow_org="v1alpha1") as (objects, _):
        assert objects.kinds.served == frozenset()


async def test_a_kind_that_may_not_be_read_hides_no_job() -> None:
    api = FakeApi(("team-a",))
    api.fail(Fault(403, "Forbidden", "no"), "list", "mpijobs", times=None)
    api.fail(Fault(403, "Forbidden", "no"), "watch", "mpijobs", times=None)
    async with reading(api, kubeflow_org="v2beta1") as (objects, _):
        session = training("mpi")
        assert objects.kinds.possible_for(session.spec) == (JOBS, MPI_JOBS)
        assert not objects.hides_workload(session)
