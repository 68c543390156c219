"""The Kueue engine over an API server in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_gpuquota.errors import Conflict, InvalidFields, NotAllowed, Outdated
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.engines.kueue.engine import KueueEngine
from jupyter_gpuquota.kubernetes.engines.kueue.objects import (
    CLUSTER_QUEUES,
    COHORTS,
    LOCAL_QUEUES,
    PRIORITY_CLASSES,
    WORKLOADS,
)
from jupyter_gpuquota.kubernetes.engines.surroundings import EngineSettings, Surroundings
from jupyter_gpuquota.kubernetes.faults import translated
from jupyter_gpuquota.kubernetes.resources import STATEFUL_SETS
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.usage import EnginePlanning
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.quota import Affinity, Project
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_node, make_session, make_spec
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.kueue.objects import (
    GPUS,
    Raw,
    cluster_queue,
    local_queue,
    nested,
    team,
    workload,
)
from tests.waiting import wait_for

PLACES = {
    resource.kind: resource
    for resource in (CLUSTER_QUEUES, COHORTS, LOCAL_QUEUES, PRIORITY_CLASSES, WORKLOADS)
}
VISIBLE = "/apis/visibility.kueue.x-k8s.io/v1beta2"


def fill(api: FakeApi, *objects: Raw) -> None:
    """Put objects on the server, and their raw JSON under their paths."""
    for raw in objects:
        resource: Any = PLACES[raw["kind"]]
        meta = raw["metadata"]
        for owner in meta.get("ownerReferences", ()):  # without it, the object would go at once
            name = {"name": owner["name"], "namespace": meta["namespace"]}
            owner["uid"] = api.put(STATEFUL_SETS, {"metadata": name}).metadata.uid
        api.put(resource, raw)
        namespace, name = meta.get("namespace", ""), meta["name"]
        api.controls.answers[resource.path(namespace, name)] = lambda _, at=(
            resource,
            namespace,
            name,
        ): api.raw(*at)


@asynccontextmanager
async def running(api: FakeApi, *sessions: Session, **settings: Any) -> AsyncIterator[KueueEngine]:
    watches = Watches(api)
    around = Surroundings(
        api=api,
        caches=watches,
        sessions=lambda: sessions,
        request=lambda spec: PodPatch(milli=spec.share.milli),
        capacity=lambda: 8000,
        settings=EngineSettings(gpus=GPUS, **settings),
    )
    engine = KueueEngine(around)
    await watches.start()
    await watches.ready()
    await engine.start(lambda: None)
    try:
        yield engine
    finally:
        await engine.close()
        await watches.close()


def project(engine: KueueEngine, name: str = "team-a") -> Project:
    return {each.name: each for each in engine.projects()}[name]


@pytest.fixture
def api() -> FakeApi:
    found = FakeApi(("team-a", "team-b", "new"))
    fill(found, *team("team-a", 4000), *team("team-b", 2000))
    return found


async def test_projects_follow_the_cluster(api: FakeApi) -> None:
    async with running(api) as engine:
        before = project(engine)
        assert (before.quota, before.limit) == (4000, None)
        fill(api, cluster_queue("team-a", 3000, borrowing=1000))
        await wait_for(lambda: project(engine).quota == 3000)
        assert project(engine).limit == 4000
        assert project(engine).revision != before.revision


async def test_labels_put_a_session_into_the_queue_of_its_kind(api: FakeApi) -> None:
    classes = {"kind": "WorkloadPriorityClass", "metadata": {"name": "interactive"}, "value": 100}
    fill(api, *nested("team-a", 4000), classes)
    async with running(api, priorities={"train": "low"}) as engine:
        labels = {
            kind: dict(engine.patch(make_spec("x", "1", project="team-a", kind=kind)).labels)
            for kind in ("interactive", "train")
        }
        assert labels == {
            "interactive": {
                "kueue.x-k8s.io/queue-name": "interactive",
                "kueue.x-k8s.io/priority-class": "interactive",
            },
            "train": {"kueue.x-k8s.io/queue-name": "gpus"},
        }
        assert engine.patch(make_spec("x", "1", project="team-a")).starts_jobs


async def test_a_change_of_quota_and_limit_is_written(api: FakeApi) -> None:
    async with running(api) as engine:
        old = project(engine)
        wanted = Project(name="team-a", quota=3000, limit=5000, revision=old.revision)
        changed = await engine.administration.change_project(wanted)
        assert (changed.quota, changed.limit) == (3000, 5000)
        quotas = api.raw(CLUSTER_QUEUES, "", "team-a")["spec"]["resourceGroups"][0]["flavors"][0]
        assert quotas["resources"] == [
            {"name": "cpu", "nominalQuota": "1000"},
            {"name": "memory", "nominalQuota": "10Ti"},
            {"name": "lab/milligpu", "nominalQuota": "3k", "borrowingLimit": "2k"},
        ]
        await wait_for(lambda: project(engine).quota == 3000)
        assert project(engine).revision == changed.revision


async def test_kueue_itself_does_not_change_the_revision(api: FakeApi) -> None:
    fill(api, *nested("team-a", 4000))
    async with running(api) as engine:
        before = project(engine)
        for resource, namespace, name in (
            (CLUSTER_QUEUES, "", "team-a"),
            (CLUSTER_QUEUES, "", "team-a-interactive"),
            (COHORTS, "", "team-a"),
            (LOCAL_QUEUES, "team-a", "gpus"),
        ):
            status = {"status": {"pendingWorkloads": 1}}
            new = await api.patch(resource, namespace, name, status, subresource="status")
            cache = engine._around.caches.cache(resource)
            await wait_for(
                lambda cache=cache, new=new: cache.get(*new.key).metadata == new.metadata
            )
            assert project(engine) == before, name
        wanted = Project(name="team-a", quota=3000, limit=None, revision=before.revision)
        assert (await engine.administration.change_project(wanted)).quota == 3000


async def test_a_limit_is_taken_away(api: FakeApi) -> None:
    fill(api, cluster_queue("team-a", 3000, borrowing=1000))
    async with running(api) as engine:
        old = project(engine)
        wanted = Project(name="team-a", quota=3000, limit=None, revision=old.revision)
        assert (await engine.administration.change_project(wanted)).limit is None


async def test_a_queue_without_a_cohort_has_no_limit_above_its_quota() -> None:
    api = FakeApi(("team-a",))
    fill(api, *team("team-a", 4000, cohort=""))
    async with running(api) as engine:
        old = project(engine)
        assert old.limit == 4000
        wanted = Project(name="team-a", quota=3000, limit=4000, revision=old.revision)
        assert (await engine.administration.change_project(wanted)).limit == 3000
        await wait_for(lambda: project(engine).quota == 3000)
        wanted = Project(name="team-a", quota=3000, limit=9000, revision=project(engine).revision)
        with pytest.raises(InvalidFields):
            await engine.administration.change_project(wanted)


async def test_the_limit_of_a_nested_team_is_that_of_its_cohort() -> None:
    api = FakeApi(("team-a", "team-b"))
    fill(api, *nested("team-a", 4000), *nested("team-b", 2000))
    async with running(api) as engine:
        old = project(engine)
        wanted = Project(name="team-a", quota=3000, limit=5000, revision=old.revision)
        changed = await engine.administration.change_project(wanted)
        assert (changed.quota, changed.limit) == (3000, 5000)
        own = api.raw(COHORTS, "", "team-a")["spec"]["resourceGroups"]
        assert own == [
            {
                "coveredResources": ["lab/milligpu"],
                "flavors": [
                    {
                        "name": "v100",
                        "resources": [
                            {"name": "lab/milligpu", "nominalQuota": "0", "borrowingLimit": "2k"}
                        ],
                    }
                ],
            }
        ]
        interactive = api.raw(CLUSTER_QUEUES, "", "team-a-interactive")["spec"]
        quota = interactive["resourceGroups"][0]["flavors"][0]["resources"][2]
        assert quota == {"name": "lab/milligpu", "nominalQuota": "3k", "borrowingLimit": "0"}


async def test_node_groups_and_run_times_are_kept_beside_the_queue(api: FakeApi) -> None:
    async with running(api) as engine:
        extras: dict[str, Any] = {
            "node_affinity": Affinity(train=("big",)),
            "interactive_duration": 3600,
        }
        wanted = Project(name="team-a", quota=4000, revision=project(engine).revision, **extras)
        changed = await engine.administration.change_project(wanted)
        assert (changed.node_affinity.train, changed.interactive_duration) == (("big",), 3600)
        await wait_for(lambda: project(engine).interactive_duration == 3600)


async def test_an_outdated_change_is_refused(api: FakeApi) -> None:
    async with running(api) as engine:
        with pytest.raises(Outdated):
            await engine.administration.change_project(
                Project(name="team-a", quota=1000, revision="old")
            )
        assert project(engine).quota == 4000


async def test_a_status_that_kueue_writes_meanwhile_does_not_disturb(api: FakeApi) -> None:
    async with running(api) as engine:
        conflict = Fault(409, "Conflict", "the object has been modified")
        api.fail(conflict, "patch", "clusterqueues", times=2)
        wanted = Project(name="team-a", quota=3000, revision=project(engine).revision)
        assert (await engine.administration.change_project(wanted)).quota == 3000


async def test_what_an_engine_cannot_keep_is_named_field_by_field(api: FakeApi) -> None:
    async with running(api) as engine:
        revision = project(engine).revision
        wanted = Project(
            name="team-a",
            quota=4000,
            limit=3000,
            members=("ana",),
            priority=7,
            min_runtime=60,
            revision=revision,
        )
        with pytest.raises(InvalidFields) as caught:
            await engine.administration.change_project(wanted)
        fields = {error.field: error.key for error in caught.value.fields}
        assert fields == {
            "limit": "project.limit_below",
            "members": "project.elsewhere",
            "min_runtime": "project.elsewhere",
            "priority": "project.elsewhere",
        }


async def test_fractions_need_a_resource_that_counts_them() -> None:
    api = FakeApi(("team-a",))
    whole = cluster_queue("team-a", 4, resource="nvidia.com/gpu")
    fill(api, whole, local_queue("team-a", "gpus", "team-a"))
    async with running(api) as engine:
        revision = project(engine).revision
        with pytest.raises(InvalidFields):
            await engine.administration.change_project(
                Project(name="team-a", quota=1500, revision=revision)
            )
        changed = await engine.administration.change_project(
            Project(name="team-a", quota=2000, revision=revision)
        )
        assert changed.quota == 2000


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(403, "Forbidden", "cannot patch clusterqueues"), NotAllowed),
        (
            Fault(400, "BadRequest", 'admission webhook "v" denied the request: too little'),
            Conflict,
        ),
    ],
)
async def test_refusals_of_the_server_are_translated(
    api: FakeApi, fault: Fault, error: type[Exception]
) -> None:
    async with running(api) as engine:
        api.fail(fault, "patch", "clusterqueues")
        wanted = Project(name="team-a", quota=3000, revision=project(engine).revision)
        with pytest.raises(error), translated():
            await engine.administration.change_project(wanted)


async def test_previews(api: FakeApi) -> None:
    fill(api, workload("team-b", "gpu-b", 2000, held="team-b"))
    async with running(api) as engine:

        async def ask(gpu: str, kind: str = "train") -> tuple[str, str]:
            found = await engine.preview(make_spec("x", gpu, project="team-a", kind=kind))
            return found.verdict, found.message

        assert await ask("4") == (
            "fits",
            "Starts as soon as a node has 4 GPUs free. Uses 4 GPUs of your quota.",
        )
        fill(api, workload("team-a", "gpu-a", 3500, held="team-a"))
        await wait_for(lambda: engine.admission(make_session("a", "3", project="team-a")).admitted)
        verdict, message = await ask("1")
        assert verdict == "waits"
        assert message.startswith(
            "Will be queued (#1 in team-a): team-a uses 3.5 GPUs (quota: 4), so 0.5 of 1 GPU would "
            "have to be borrowed, and too little is free."
        )
        assert message.endswith("0.5 GPU would start now.")
        cpu = await engine.preview(make_spec("x", "", project="team-a"))
        assert (cpu.verdict, cpu.message) == ("fits", "Starts now; no GPU needed.")


async def test_a_borrower_is_told_who_may_reclaim() -> None:
    for reclaim, said in (
        ("Any", "Borrows 1 GPU, which team-b can reclaim; the session would then be requeued."),
        ("Never", "Borrows 1 GPU, which no other project can reclaim."),
    ):
        api = FakeApi(("team-a", "team-b"))
        queues = [*team("team-a", 4000, reclaim=reclaim), *team("team-b", 2000, reclaim=reclaim)]
        fill(api, *queues)
        async with running(api) as engine:
            found = await engine.preview(make_spec("x", "5", project="team-a", kind="train"))
            assert found.verdict == "borrows"
            assert said in found.message


async def test_positions_come_from_kueues_own_list(api: FakeApi) -> None:
    session = make_session("mine", "2", project="team-a", kind="train")
    mine = workload("team-a", "gpu-mine", 2000)
    fill(api, workload("team-a", "gpu-a", 6000, held="team-a"), mine)
    path = f"{VISIBLE}/namespaces/team-a/localqueues/gpus/pendingworkloads"
    item = {"metadata": {"name": mine["metadata"]["name"]}, "positionInLocalQueue": 4}
    async with running(api, session) as engine:
        assert (await engine.position(session)).position == 1
        api.controls.answers[path] = {"items": [item]}
        assert (await engine.position(session)).position == 5
        assert (await engine.position(session)).reason is not None


async def test_a_silent_kueue_is_told(api: FakeApi) -> None:
    api.controls.answers[VISIBLE] = {}
    api.fail(Fault(503, "ServiceUnavailable", "service unavailable"), "read", VISIBLE, times=None)
    async with running(api) as engine:
        await wait_for(lambda: "Kueue does not respond" in engine.warnings()[0])


async def test_who_may_not_read_cluster_queues_launches_all_the_same() -> None:
    api = FakeApi(("team-a",))
    fill(api, local_queue("team-a", "z", "hidden"), local_queue("team-a", "default", "hidden"))
    session = make_session("exp-1", "2", project="team-a")
    pending = [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "full"}]
    fill(api, workload("team-a", "gpu-exp-1", 2000, "default", conditions=pending))
    async with running(api, session) as engine:
        assert project(engine).quota == 8000
        assert engine.patch(session.spec).labels == {"kueue.x-k8s.io/queue-name": "default"}
        assert (await engine.preview(session.spec)).message == (
            "The cluster does not tell when it would start."
        )
        found = engine.admission(session).queue
        assert found is not None
        assert found.reason is not None
        assert (found.reason.key, found.reason.raw) == ("queue.refuses", "full")
        assert "cannot be read" in engine.warnings()[0]


async def test_a_cluster_that_one_project_has_whole_hears_nothing_of_quotas() -> None:
    async def nothing(*_: Any) -> tuple[()]:
        return ()

    api = FakeApi(("team-a",))
    held = workload("team-a", "s1", 3000, held="team-a")
    fill(api, *team("team-a", 4000), held)
    async with running(api) as engine:
        board: Any = SimpleNamespace(nodes=[make_node("n1", 4)])
        planning = EnginePlanning(engine, board, lambda _: None, lambda *_: (), nothing)
        for gpus in ("1", "2"):
            request = make_spec("x", gpus, project="team-a", kind="train")
            found = await planning.preview(request, "ana")
            hint = found.reason.hint if found.reason else ""
            said = f"{found.message} {hint}".lower()
            assert not any(word in said for word in ("quota", "team-a", "borrow"))


async def test_a_new_project_has_queues_like_those_of_another_one(api: FakeApi) -> None:
    async with running(api) as engine:
        wanted = Project(name="new", quota=1000, limit=3000, revision="")
        made, local = await engine.administration.objects_for(wanted)
        assert made["spec"]["cohortName"] == "gpus"
        assert made["spec"]["namespaceSelector"] == {
            "matchLabels": {"kubernetes.io/metadata.name": "new"}
        }
        [group] = made["spec"]["resourceGroups"]
        gpus = {"name": "lab/milligpu", "nominalQuota": "1k", "borrowingLimit": "2k"}
        assert group["flavors"][0]["resources"][-1] == gpus
        assert local["metadata"]["namespace"] == "new"
        assert local["spec"] == {"clusterQueue": "new"}
        with pytest.raises(InvalidFields):
            await engine.administration.objects_for(Project(name="new", quota=1000, limit=500))
        assert not [call for call in api.calls if call.verb == "create"]


async def test_a_project_is_deleted_with_its_own_queues_only(api: FakeApi) -> None:
    shared = local_queue("team-b", "shared", "team-a")
    fill(api, cluster_queue("own", 1000), local_queue("team-a", "own", "own"), shared)
    async with running(api) as engine:
        local, behind = engine.administration.deletion_of("team-a")
        assert local.startswith("kubectl -n team-a delete localqueue ")
        assert set(local.split()[5:]) == {"gpus", "own"}
        assert behind == "kubectl delete clusterqueue own"


async def test_a_new_project_is_not_in_the_cohort_of_another_one_alone() -> None:
    api = FakeApi(("team-a",))
    fill(api, *nested("team-a", 4000))
    async with running(api) as engine:
        made, _ = await engine.administration.objects_for(Project(name="new", quota=1000))
        assert made["spec"]["cohortName"] == "gpus"
