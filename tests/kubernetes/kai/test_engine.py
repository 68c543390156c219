"""The KAI engine over an API server in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Conflict, InvalidFields, Outdated
from jupyter_gpuquota.kubernetes.engines.kai.engine import KaiEngine
from jupyter_gpuquota.kubernetes.engines.kai.objects import (
    KAI_PROJECTS,
    POD_GROUPS,
    PRIORITY_CLASSES,
    QUEUES,
    gpus_of,
)
from jupyter_gpuquota.kubernetes.engines.surroundings import EngineSettings, Surroundings
from jupyter_gpuquota.kubernetes.nodes import NodeSettings, read_nodes
from jupyter_gpuquota.kubernetes.resources import EVENTS, NAMESPACES, NODES, PODS
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.quota import Affinity, Project
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session, make_spec
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.kai.objects import (
    NO_NODE,
    evict,
    group_name,
    node,
    pod,
    pod_group,
    queue,
    reservation,
    said,
    session_pod,
)
from tests.waiting import wait_for

NOW = datetime.now(UTC)


@asynccontextmanager
async def running(
    api: FakeApi,
    *sessions: Session,
    changed: Callable[[], None] = lambda: None,
    **settings: Any,
) -> AsyncIterator[KaiEngine]:
    watches = Watches(api)
    nodes = watches.cache(NODES)
    around = Surroundings(
        api=api,
        caches=watches,
        sessions=lambda: sessions,
        request=lambda spec: PodPatch(milli=spec.share.milli),
        capacity=lambda: 16_000,
        cluster=lambda: read_nodes(nodes.values(), NodeSettings(divides="counted")),
        settings=EngineSettings(**settings),
    )
    engine = KaiEngine(around)
    await watches.start()
    await watches.ready()
    await engine.start(changed)
    await watches.ready()
    try:
        yield engine
    finally:
        await engine.close()
        await watches.close()


def project(engine: KaiEngine, name: str = "team-a") -> Project:
    return {each.name: each for each in engine.projects()}[name]


@pytest.fixture
def api() -> FakeApi:
    """Two nodes with two GPUs each; team-a has a quota of 2 GPUs, team-b of 1."""
    found = FakeApi(("team-a", "team-b", "new", "kai-resource-reservation"))
    for each in (queue("all", parent=""), queue("team-a", 2), queue("team-b", 1)):
        found.put(QUEUES, each)
    for name in ("dgx1-1", "dgx1-2"):
        found.put(NODES, node(name, 2))
    return found


def queued(name: str, gpu: str, *, team: str = "team-a", kind: str = "train") -> Session:
    return make_session(name, gpu, project=team, kind=kind)


def put(api: FakeApi, session: Session, place: str = "", group: str = "") -> Session:
    """Put the pod and the PodGroup of a session on the server; with `place` the pod is bound."""
    api.put(PODS, session_pod(session, place, group))
    reasons = [] if place else [NO_NODE]
    api.put(POD_GROUPS, pod_group(session, session.spec.project, *reasons))
    return session


def why(engine: KaiEngine, session: Session) -> Reason:
    found = engine.admission(session)
    assert not found.admitted
    assert found.queue
    assert found.queue.reason
    return found.queue.reason


async def test_projects_follow_the_queues(api: FakeApi) -> None:
    async with running(api) as engine:
        before = project(engine)
        assert (before.quota, before.limit) == (2000, None)
        api.put(QUEUES, queue("team-a", 3, limit=4))
        await wait_for(lambda: project(engine).quota == 3000)
        assert project(engine).limit == 4000
        assert project(engine).revision != before.revision
        assert [each.name for each in engine.projects()] == ["team-a", "team-b"]


async def test_several_processes_start_together(api: FakeApi) -> None:
    async with running(api) as engine:
        alone = make_spec("x", "1", project="team-a", kind="train")
        together = replace(alone, processes=4)
        assert engine.gangs == "granted"
        assert not engine.patch(alone).annotations
        assert engine.patch(together).annotations == {"kai.scheduler/batch-min-member": "4"}


async def test_labels_name_queue_and_class_of_each_kind(api: FakeApi) -> None:
    async with running(api, priorities={"train": "batch"}) as engine:
        found = {}
        for kind in ("interactive", "interactive-spot", "train"):
            patch = engine.patch(make_spec("x", "1", project="team-a", kind=kind))
            assert patch.scheduler == "kai-scheduler"
            assert not patch.starts_jobs
            assert patch.labels == patch.pod_labels
            assert patch.labels["kai.scheduler/queue"] == "team-a"
            preemptibility = patch.labels["kai.scheduler/preemptibility"]
            found[kind] = (patch.labels["priorityClassName"], preemptibility)
        assert found == {
            "interactive": ("build", "non-preemptible"),
            "interactive-spot": ("build-preemptible", "preemptible"),
            "train": ("batch", "preemptible"),
        }
        unknown = engine.patch(make_spec("x", "1", project="new"))
        assert unknown.scheduler == "kai-scheduler"  # which refuses it; another would start it
        assert not unknown.labels


async def test_the_kind_decides_who_may_be_preempted_whatever_its_class(api: FakeApi) -> None:
    classes = {"interactive": "our-build", "train": "build"}
    async with running(api, priorities=classes) as engine:
        assert project(engine).preemptible == ("interactive-spot", "train")
        for kind, kept in (("interactive", "non-preemptible"), ("train", "preemptible")):
            labels = engine.patch(make_spec("x", "1", project="team-a", kind=kind)).labels
            assert labels["priorityClassName"] == classes[kind]
            assert labels["kai.scheduler/preemptibility"] == kept


async def test_a_class_that_the_cluster_lacks_is_told(api: FakeApi) -> None:
    async with running(api, priorities={"train": "trian"}) as engine:
        assert not engine.warnings()  # classes may not be read
        for name in ("system-node-critical", "build", "build-preemptible", "train"):
            api.put(PRIORITY_CLASSES, {"metadata": {"name": name}})
        await wait_for(engine.warnings)
        [warning] = engine.warnings()
        assert "PriorityClass trian of train sessions is missing" in warning
        api.put(PRIORITY_CLASSES, {"metadata": {"name": "trian"}})
        await wait_for(lambda: len(engine.warnings()) == 0)


async def test_only_evictions_among_events_change_anything(api: FakeApi) -> None:
    victim = put(api, queued("victim", "1"))
    taker = queued("taker", "1", team="team-b")
    heard: list[None] = []
    async with running(api, victim, taker, changed=lambda: heard.append(None)) as engine:
        numbers = engine._view.numbers()
        noise = {"name": "noise", "namespace": "team-a"}
        about = {"kind": "PodGroup", "name": group_name(victim), "namespace": "team-a"}
        heard.clear()
        api.put(EVENTS, {"metadata": noise, "reason": "Unschedulable", "involvedObject": about})
        api.put(EVENTS, evict(victim, taker))
        await wait_for(lambda: engine.admission(victim).reclaim)
        assert len(heard) == 1
        assert engine._view.numbers() is not numbers


async def test_a_project_of_kai_is_read_where_it_is_installed(api: FakeApi) -> None:
    api.controls.answers["/apis/kai.resources"] = {"versions": [{"version": "v1alpha1"}]}
    spec = {"namespace": "new", "queues": [{"name": "team-b", "nodepool": "default"}]}
    api.put(KAI_PROJECTS, {"metadata": {"name": "vision"}, "spec": spec})
    async with running(api) as engine:
        await wait_for(lambda: len(engine.projects()) == 3)
        assert engine.patch(make_spec("x", project="new")).labels["kai.scheduler/queue"] == "team-b"


async def test_the_add_on_for_memory_is_noticed(api: FakeApi) -> None:
    async with running(api) as engine:
        assert engine.divides == "counted"
    answer = {"versions": [{"version": "v1alpha1"}]}
    api.controls.answers["/apis/gpu-fractioning.kai.scheduler"] = answer
    async with running(api) as engine:
        assert engine.divides == "limited"


async def test_sessions_of_a_run_ai_project_go_to_its_scheduler(api: FakeApi) -> None:
    api.put(NAMESPACES, {"metadata": {"name": "new", "labels": {"runai/queue": "team-b"}}})
    api.controls.answers["/apis/run.ai"] = {"versions": [{"version": "v1"}]}
    async with running(api) as engine:
        patch = engine.patch(make_spec("x", "0.5", project="new"))
        assert patch.scheduler == "runai-scheduler"
        assert patch.pod_labels["runai/queue"] == "team-b"
        assert engine.patch(make_spec("x", "0.5", project="team-a")).scheduler == "kai-scheduler"
        assert engine.divides == "runai"


async def test_workloads_of_run_ai_count_by_their_own_label(api: FakeApi) -> None:
    for name, place in (("x", "dgx1-1"), ("y", "dgx1-2")):
        labels = {"runai/queue": "team-b"}
        found = pod(name, "e", gpus=2, node=place, labels=labels, scheduler="runai-scheduler")
        api.put(PODS, found)
    session = put(api, queued("exp-1", "1", team="team-b"))
    async with running(api, session) as engine:
        assert "team-b uses 4 GPUs" in why(engine, session).message


async def test_a_session_with_a_node_is_admitted(api: FakeApi) -> None:
    session = put(api, queued("exp-1", "0.5"), "dgx1-1", "g1")
    async with running(api, session) as engine:
        assert engine.admission(session).admitted


async def test_without_pod_or_words_nothing_is_said(api: FakeApi) -> None:
    session = queued("exp-1", "1")
    async with running(api, session) as engine:
        found = engine.admission(session)
        assert (found.admitted, found.queue, found.reclaim) == (False, None, None)


async def test_full_is_told_by_the_numbers(api: FakeApi) -> None:
    own = put(api, queued("own", "2", kind="interactive"), "dgx1-1")
    other = put(api, queued("other", "2", team="team-b", kind="interactive"), "dgx1-2")
    session = put(api, queued("exp-1", "1", team="team-b"))
    async with running(api, own, other, session) as engine:
        found = why(engine, session)
        assert (found.code, found.key) == ("OverQuota", "quota.borrow_all")
        assert "team-a 2" in found.message
        assert "no nodes with enough resources" in found.raw


async def test_within_the_quota_it_waits_for_what_others_borrow(api: FakeApi) -> None:
    holders = [
        put(api, queued("a", "2", team="team-b"), "dgx1-1"),
        put(api, queued("b", "2", team="team-b"), "dgx1-2"),
    ]
    session = put(api, queued("exp-1", "1"))
    async with running(api, *holders, session) as engine:
        found = why(engine, session)
        assert (found.code, found.key) == ("BeingReclaimed", "reclaim.expected")
        assert "from a session of team-b" in found.message
        assert "no nodes with enough resources" in found.raw


async def test_within_the_quota_the_reason_is_that_gpus_are_missing(api: FakeApi) -> None:
    """What is outside KAI's queues is not reclaimed."""
    for name in ("dgx1-1", "dgx1-2"):
        api.put(PODS, pod(name, "e", gpus=2, node=name, scheduler="default-scheduler"))
    session = put(api, queued("exp-1", "1"))
    async with running(api, session) as engine:
        found = why(engine, session)
        assert found.code == "NoNodeFits"
        assert "within team-a's quota" in found.message


async def test_what_could_be_reclaimed_only_in_two_places_is_fragmented(api: FakeApi) -> None:
    api.put(QUEUES, queue("team-b", 0))
    holders = []
    for name in ("dgx1-1", "dgx1-2"):
        api.put(PODS, pod(name, "e", gpus=1, node=name, scheduler="default-scheduler"))
        holders.append(put(api, queued(f"on-{name}", "1", team="team-b"), name))
    session = put(api, queued("exp-1", "2"))
    async with running(api, *holders, session) as engine:
        found = why(engine, session)
        assert (found.code, found.key) == ("Fragmented", "fragmented.reclaim.whole")
        assert "2 GPUs that could be reclaimed" in found.message


async def test_fragmented_is_told_by_what_is_free_of_each_gpu(api: FakeApi) -> None:
    """Of each of four GPUs 0.4 is free, together 1.6: KAI's words are those of a full cluster."""
    places = [("dgx1-1", "g1"), ("dgx1-1", "g2"), ("dgx1-2", "g3"), ("dgx1-2", "g4")]
    holders = []
    for index, (name, group) in enumerate(places):
        holders.append(put(api, queued(f"part-{index}", "0.6"), name, group))
        api.put(PODS, reservation(group, name))
    session = put(api, queued("exp-1", "0.5"))
    async with running(api, *holders, session) as engine:
        found = why(engine, session)
        assert found.code == "Fragmented"
        assert "1.6" in found.message


async def test_parts_of_several_gpus_wait_for_room_on_one_node(api: FakeApi) -> None:
    """Of each node 0.7 of one GPU is free, and 0.9 of another."""
    places = [("dgx1-1", "g1", "0.3"), ("dgx1-1", "g2", "0.1")]
    places += [("dgx1-2", "g3", "0.3"), ("dgx1-2", "g4", "0.1")]
    holders = []
    for index, (name, group, gpu) in enumerate(places):
        holders.append(put(api, queued(f"part-{index}", gpu), name, group))
        api.put(PODS, reservation(group, name))
    session, other = put(api, queued("exp-1", "1.5")), make_spec("x", "1.4", project="team-a")
    async with running(api, *holders, session) as engine:
        found = why(engine, session)
        assert found.code == "Fragmented"
        assert "no node has 0.75 of each of 2 GPUs free" in found.message
        fits = await engine.preview(replace(other, kind="train"))
        assert (fits.verdict, fits.sentences[0].key) == ("borrows", "preview.admitted")
        assert "1.4 GPUs (0.7 of each of 2)" in fits.message


async def test_other_workloads_of_the_queues_count(api: FakeApi) -> None:
    """Pods that are not sessions hold GPUs and quota of the queue that their PodGroup names."""
    for name, place in (("x", "dgx1-1"), ("y", "dgx1-2")):
        labels = {"kai.scheduler/queue": "team-b"}
        api.put(PODS, pod(name, "elsewhere", gpus=2, node=place, labels=labels))
    session = put(api, queued("exp-1", "1", team="team-b"))
    async with running(api, session) as engine:
        assert "team-b uses 4 GPUs" in why(engine, session).message


async def test_protected_holders_are_told_with_the_time(api: FakeApi) -> None:
    api.put(QUEUES, queue("team-b", 1, reclaimMinRuntime="10m"))
    began = datetime.now(UTC) - timedelta(minutes=1)
    holders = [
        put(api, replace(queued(name, "2", team="team-b"), started=began), place)
        for name, place in (("a", "dgx1-1"), ("b", "dgx1-2"))
    ]
    session = put(api, queued("exp-1", "1", kind="interactive"))
    async with running(api, *holders, session) as engine:
        found = why(engine, session)
        assert found.key == "reclaim.protected"
        assert f"{began + timedelta(minutes=10):%H:%M}" in found.message


async def test_what_kai_says_for_certain_is_translated(api: FakeApi) -> None:
    session = queued("exp-1", "0.5", kind="interactive")
    over = (
        "Non-preemptible workload is over quota. Workload requested 0.5 GPUs, but team-a quota is "
        "2 GPUs, while 2 GPUs are already allocated for non-preemptible pods. Use a preemptible "
        "workload to go over quota."
    )
    limit = (
        "all quota has reached the allowable limit of GPUs. Limit is 3 GPUs, currently 2.75 GPUs "
        "allocated and workload requested 0.5 GPUs"
    )
    memory = (
        "team-a quota has reached the allowable limit of CPU cores. Limit is 0 cores, currently 0 "
        "cores allocated and workload requested 1 cores"
    )
    api.put(PODS, session_pod(session))
    async with running(api, session) as engine:
        for word, text, code, expected in (
            ("NonPreemptibleOverQuota", over, "OverQuota", "team-a's interactive sessions already"),
            ("OverLimit", limit, "OverLimit", "all already uses 2.75 of its limit of 3 GPUs"),
            ("OverLimit", memory, "OverLimit", "does not admit this request"),
            ("QueueDoesNotExist", "Queue 'nope' does not exist", "QueueMissing", "nope"),
        ):
            api.put(POD_GROUPS, pod_group(session, "team-a", said(word, text)))
            await wait_for(
                lambda code=code, expected=expected: (
                    (found := engine.admission(session).queue)
                    and found.reason
                    and found.reason.code == code
                    and expected in found.reason.message
                )
            )


async def test_words_that_the_numbers_do_not_explain_are_kept(api: FakeApi) -> None:
    words = said("PodSchedulingErrors", "2 node(s) didn't match Pod's node affinity/selector.")
    session = queued("exp-1", "1")
    api.put(PODS, session_pod(session))
    api.put(POD_GROUPS, pod_group(session, "team-a", words))
    async with running(api, session) as engine:
        found = why(engine, session)
        assert (found.code, found.key) == ("NoNodeFits", "node.none")
        assert "affinity" in found.raw


async def test_the_position_follows_class_and_age(api: FakeApi) -> None:
    full = [put(api, queued(f"full-{n}", "2", team="team-b"), f"dgx1-{n}") for n in (1, 2)]
    first, second = (put(api, queued(name, "1")) for name in ("one", "two"))
    ahead = put(api, queued("ahead", "1", kind="interactive"))
    second = replace(second, created=first.created + timedelta(seconds=1))
    async with running(api, *full, first, second, ahead) as engine:
        places = [(await engine.position(each)).position for each in (ahead, first, second)]
        assert places == [1, 2, 3]


@pytest.mark.parametrize(
    ("action", "team", "code", "text"),
    [
        ("reclaim", "team-b", "Reclaimed", "GPUs that team-a had borrowed"),
        ("preempt", "team-a", "Reclaimed", "priority over it"),
        ("consolidation", "team-b", "Moved", "continues on other GPUs"),
    ],
)
async def test_an_eviction_names_for_whom(
    api: FakeApi, action: str, team: str, code: str, text: str
) -> None:
    victim, taker = queued("victim", "1"), queued("taker", "1", team=team)
    stamps = {"last_start_timestamp": "2026-11-22T10:00:00Z"}
    stamps["last_eviction_timestamp"] = "2026-11-22T11:00:00Z"
    api.put(POD_GROUPS, pod_group(victim, "team-a", **stamps))
    api.put(EVENTS, evict(victim, taker, action))
    async with running(api, victim, taker) as engine:
        found = engine.admission(victim)
        assert found.reclaim
        assert (found.reclaim.session, found.reclaim.project) == (taker.id, team)
        assert found.reclaim.moved == (action == "consolidation")
        assert found.reason
        assert found.reason.code == code
        assert text in found.reason.message
        assert "was preempted by" in found.reason.raw


async def test_a_session_that_started_again_is_not_evicted(api: FakeApi) -> None:
    victim, taker = queued("victim", "1"), queued("taker", "1", team="team-b")
    stamps = {"last_start_timestamp": "2026-11-22T12:00:00Z"}
    stamps["last_eviction_timestamp"] = "2026-11-22T11:00:00Z"
    api.put(POD_GROUPS, pod_group(victim, "team-a", **stamps))
    api.put(EVENTS, evict(victim, taker))
    async with running(api, victim, taker) as engine:
        assert engine.admission(victim).reclaim is None


async def test_an_event_about_another_namespace_says_nothing(api: FakeApi) -> None:
    victim, taker = queued("victim", "1"), queued("taker", "1", team="team-b")
    api.put(POD_GROUPS, pod_group(victim, "team-a"))
    forged = evict(victim, taker)
    forged["metadata"]["namespace"] = "new"
    api.put(EVENTS, forged)
    async with running(api, victim, taker) as engine:
        assert engine.admission(victim).reclaim is None


async def test_previews_are_estimates(api: FakeApi) -> None:
    holders = [put(api, queued(f"full-{n}", "2", team="team-b"), f"dgx1-{n}") for n in (1,)]
    async with running(api, *holders) as engine:
        cases = {}
        for kind, gpu, team in (
            ("interactive", "1", "team-a"),
            ("train", "2", "team-b"),
            ("interactive", "1", "team-b"),
            ("interactive", "0.5", "team-a"),
        ):
            spec = make_spec("x", gpu, project=team, kind=kind)
            found = await engine.preview(spec)
            assert found.placement is None
            assert found.sentences[0].key == "preview.admitted"
            assert found.sentences[-1].key == "preview.estimate"
            cases[kind, gpu, team] = found.verdict
        assert cases == {
            ("interactive", "1", "team-a"): "fits",
            ("train", "2", "team-b"): "borrows",
            ("interactive", "1", "team-b"): "fits",
            ("interactive", "0.5", "team-a"): "fits",
        }
        assert (await engine.preview(make_spec("x", "4", project="team-a"))).verdict == "waits"
        assert (await engine.preview(make_spec("x", "1", project="new"))).verdict == "fits"


async def test_a_taker_within_its_quota_reclaims(api: FakeApi) -> None:
    holders = [put(api, queued(f"full-{n}", "2", team="team-b"), f"dgx1-{n}") for n in (1, 2)]
    async with running(api, *holders) as engine:
        spec = make_spec("x", "1", project="team-a", kind="interactive")
        assert (await engine.preview(spec)).verdict == "reclaims"


async def test_a_change_writes_all_three_resources(api: FakeApi) -> None:
    raw = queue("team-a", 2)
    del raw["spec"]["resources"]["memory"]
    raw["spec"]["resources"]["cpu"] = {"quota": 8000, "limit": 16000, "overQuotaWeight": 2}
    api.put(QUEUES, raw)
    async with running(api) as engine:
        assert any("no memory" in warning for warning in engine.warnings())
        old = project(engine)
        wanted = replace(old, quota=1500, limit=3000, weight=None, priority=120, min_runtime=600)
        changed = await engine.administration.change_project(wanted)
        assert (changed.quota, changed.limit, changed.weight) == (1500, 3000, 1500)
        assert (changed.priority, changed.min_runtime) == (120, 600)
        spec = api.raw(QUEUES, "", "team-a")["spec"]
        assert spec["parentQueue"] == "all"
        assert spec["reclaimMinRuntime"] == spec["preemptMinRuntime"] == "600s"
        assert spec["resources"] == {
            "gpu": {"quota": gpus_of(1500), "limit": gpus_of(3000), "overQuotaWeight": 1.5},
            "cpu": {"quota": 8000, "limit": 16000, "overQuotaWeight": 2},
            "memory": {"quota": -1, "limit": -1, "overQuotaWeight": 1},
        }
        await wait_for(lambda: project(engine).revision == changed.revision)
        with pytest.raises(Outdated):
            await engine.administration.change_project(wanted)


async def test_a_quota_without_bounds_stays_so(api: FakeApi) -> None:
    api.put(QUEUES, queue("team-a"))
    async with running(api) as engine:
        await engine.administration.change_project(replace(project(engine), priority=50))
        gpu = api.raw(QUEUES, "", "team-a")["spec"]["resources"]["gpu"]
        assert (gpu["quota"], gpu["limit"]) == (-1, -1)


async def test_what_a_queue_cannot_keep_is_refused_at_once(api: FakeApi) -> None:
    async with running(api) as engine:
        old = project(engine)
        with pytest.raises(InvalidFields) as caught:
            await engine.administration.change_project(replace(old, members=("ana",), limit=1000))
        assert {each.field for each in caught.value.fields} == {"members", "limit"}
        kept = replace(old, node_affinity=Affinity(train=("v100",)), interactive_duration=3600)
        changed = await engine.administration.change_project(kept)
        assert changed.node_affinity.train == ("v100",)
        assert changed.interactive_duration == 3600


async def test_a_queue_that_kai_makes_is_changed_elsewhere(api: FakeApi) -> None:
    raw = queue("team-a", 2)
    owner = {"kind": "Project", "name": "vision", "uid": "u1", "controller": True}
    raw["metadata"]["ownerReferences"] = [owner]
    uid = api.put(KAI_PROJECTS, {"metadata": {"name": "vision"}}).metadata.uid
    owner["uid"] = uid
    api.put(QUEUES, raw)
    async with running(api) as engine:
        with pytest.raises(Conflict, match="made from the Project vision"):
            await engine.administration.change_project(replace(project(engine), quota=1000))


async def test_namespaces_appear_and_go(api: FakeApi) -> None:
    async with running(api) as engine:
        api.put(QUEUES, queue("later", 1))
        api.put(NAMESPACES, {"metadata": {"name": "later"}})
        await wait_for(lambda: engine.limits("later"))
        assert group_name(queued("x", "1")).startswith("pg-gpu-x-")


async def test_a_new_project_is_a_queue_in_the_department_of_the_others(api: FakeApi) -> None:
    async with running(api) as engine:
        wanted = Project(name="new", quota=1000, revision="")
        [own] = await engine.administration.objects_for(wanted)
        assert (own["kind"], own["metadata"]["name"]) == ("Queue", "new")
        assert own["spec"]["parentQueue"] == "all"
        assert own["spec"]["resources"]["gpu"]["quota"] == gpus_of(1000)
        commands = engine.administration.deletion_of("team-a")
        assert commands == ["kubectl delete queues.scheduling.run.ai team-a"]


async def test_the_first_project_comes_with_its_department() -> None:
    async with running(FakeApi(("team-a",))) as engine:
        wanted = Project(name="team-a", quota=2000, revision="")
        top, own = await engine.administration.objects_for(wanted)
        assert own["spec"]["parentQueue"] == top["metadata"]["name"] == "default-parent-queue"
        assert {each["limit"] for each in top["spec"]["resources"].values()} == {-1}
