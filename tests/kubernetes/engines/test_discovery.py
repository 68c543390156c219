"""Which engine is used, by what the cluster has."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.errors import NotAllowed, Unsupported
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.engines.discovery import discover
from jupyter_gpuquota.kubernetes.engines.kai.objects import KAI_PROJECTS, QUEUES
from jupyter_gpuquota.kubernetes.engines.kueue.objects import LOCAL_QUEUES
from jupyter_gpuquota.kubernetes.engines.surroundings import Surroundings
from jupyter_gpuquota.kubernetes.resources import RESOURCE_QUOTAS
from jupyter_gpuquota.kubernetes.shares.provider import PodPatch
from jupyter_gpuquota.kubernetes.watching.watches import Watches
from jupyter_gpuquota.model.quota import Project
from tests.builders import make_session, make_spec
from tests.kubernetes.fake_api import FakeApi

GROUP = "/apis/kueue.x-k8s.io"
SERVED = {"versions": [{"version": "v1beta2"}, {"version": "v1beta1"}]}
QUEUE = {"metadata": {"name": "gpus", "namespace": "team-a"}, "spec": {"clusterQueue": "a"}}
QUOTA = {
    "metadata": {"name": "gpus", "namespace": "team-a"},
    "spec": {"hard": {"requests.nvidia.com/gpu": "4"}},
}


def around(api: FakeApi, *namespaces: str) -> Surroundings:
    return Surroundings(
        api=api,
        caches=Watches(api),
        sessions=lambda: (),
        request=lambda spec: PodPatch(milli=spec.share.milli),
        capacity=lambda: 16_000,
        namespaces=namespaces,
    )


async def found(api: FakeApi, pinned: Any = "auto") -> str:
    return (await discover(around(api), pinned)).name


async def test_nothing_is_there() -> None:
    assert await found(FakeApi()) == "none"


async def test_a_quota_of_gpus() -> None:
    api = FakeApi()
    api.put(RESOURCE_QUOTAS, {**QUOTA, "spec": {"hard": {"requests.cpu": "4"}}})
    assert await found(api) == "none"
    api.put(RESOURCE_QUOTAS, QUOTA)
    assert await found(api) == "resourcequota"


async def test_kueue_is_used_once_it_has_a_queue() -> None:
    api = FakeApi()
    api.controls.answers[GROUP] = SERVED
    api.put(RESOURCE_QUOTAS, QUOTA)
    assert await found(api) == "resourcequota"
    api.put(LOCAL_QUEUES, QUEUE)
    assert await found(api) == "kueue"


async def test_a_pinned_engine_is_used_all_the_same() -> None:
    api = FakeApi()
    api.controls.answers[GROUP] = SERVED
    assert await found(api, "kueue") == "kueue"
    assert await found(api, "resourcequota") == "resourcequota"
    assert await found(api, "none") == "none"


async def test_a_pinned_kueue_that_is_not_installed_is_told() -> None:
    with pytest.raises(Unsupported, match="Kueue is not installed") as caught:
        await found(FakeApi(), "kueue")
    assert "KubernetesConfig.engine" in caught.value.hint


async def test_an_old_kueue_is_told() -> None:
    api = FakeApi()
    api.controls.answers[GROUP] = {"versions": [{"version": "v1beta1"}]}
    with pytest.raises(Unsupported, match="serves v1beta1 only"):
        await found(api, "kueue")
    assert await found(api) == "none"


@pytest.mark.parametrize(
    ("named", "lists", "expected"),
    [("", True, "kueue"), ("team-a", False, "kueue"), ("", False, "none")],
)
async def test_where_not_all_namespaces_may_be_read_each_is(
    named: str, *, lists: bool, expected: str
) -> None:
    api = FakeApi(("team-0", "team-a"))
    api.namespace = named
    api.controls.answers[GROUP] = SERVED
    api.controls.allowed = lambda call: (
        lists
        if call.resource == "namespaces"
        else call.namespace == "team-a" or call.verb == "read"
    )
    api.put(LOCAL_QUEUES, QUEUE)
    assert await found(api) == expected
    assert (await discover(around(api, "team-a"))).name == "kueue"


async def test_a_quota_of_ones_own_namespace_is_found() -> None:
    api = FakeApi()
    api.namespace = "team-a"
    api.controls.allowed = lambda call: call.namespace == "team-a"
    api.put(RESOURCE_QUOTAS, QUOTA)
    assert await found(api) == "resourcequota"


async def test_who_may_list_no_namespaces_has_the_one_of_the_credentials() -> None:
    api = FakeApi()
    api.namespace = "team-a"
    api.controls.allowed = lambda call: False
    engine = await discover(around(api))
    assert [project.name for project in engine.projects()] == ["team-a"]


async def test_a_server_that_does_not_answer_is_no_reason_for_another_engine() -> None:
    api = FakeApi()
    api.stop()
    with pytest.raises(Fault):
        await found(api)


async def test_without_an_engine_every_namespace_has_all_gpus() -> None:
    api = FakeApi(("team-a", "kube-system"))
    given = around(api)
    engine = await discover(given)
    watches: Any = given.caches
    await watches.start()
    await watches.ready()
    try:
        assert [(p.name, p.quota, p.limit) for p in engine.projects()] == [("team-a", 16_000, None)]
        assert "No quota limits the use of GPUs" in engine.warnings()[0]
        spec = make_spec("x", "1", project="team-a")
        assert (await engine.preview(spec)).message == (
            "The cluster does not tell when it would start."
        )
        assert engine.admission(make_session("x", "1")).admitted
        with pytest.raises(Unsupported):
            await engine.administration.change_project(Project(name="team-a", quota=1))
    finally:
        await watches.close()


KAI = "/apis/scheduling.run.ai"


async def test_kai_is_used_once_it_has_a_queue() -> None:
    api = FakeApi()
    api.controls.answers[KAI] = {"versions": [{"version": "v2"}]}
    assert await found(api) == "none"
    api.put(QUEUES, {"metadata": {"name": "team-a"}})
    assert await found(api) == "kai"
    assert await found(api, "none") == "none"


async def test_kai_is_used_for_a_namespace_of_its_project() -> None:
    api = FakeApi()
    api.controls.answers[KAI] = {"versions": [{"version": "v2"}]}
    api.put(QUEUES, {"metadata": {"name": "vision-queue"}})
    spec = {"namespace": "team-a", "queues": [{"name": "vision-queue"}]}
    api.put(KAI_PROJECTS, {"metadata": {"name": "vision"}, "spec": spec})
    assert await found(api) == "none"  # Projects are not installed
    api.controls.answers["/apis/kai.resources"] = {"versions": [{"version": "v1alpha1"}]}
    assert await found(api) == "kai"


async def test_a_pinned_kai_that_is_not_installed_is_told() -> None:
    with pytest.raises(Unsupported, match="KAI Scheduler is not installed"):
        await found(FakeApi(), "kai")


async def test_queues_of_kai_that_are_nobodys_do_not_count() -> None:
    api = FakeApi()
    api.controls.answers[KAI] = {"versions": [{"version": "v2"}]}
    api.put(QUEUES, {"metadata": {"name": "default-queue"}})
    assert await found(api) == "none"
    api.put(QUEUES, {"metadata": {"name": "team-b"}})
    assert (await discover(around(api, "team-a"))).name == "none"
    assert (await discover(around(api, "team-b"))).name == "kai"


@pytest.mark.parametrize("pinned", ["auto", "kai"])
async def test_who_may_not_read_the_queues_of_kai_does_not_bypass_them(pinned: str) -> None:
    api = FakeApi(("team-a",))
    api.namespace = "team-a"
    api.controls.answers[KAI] = {"versions": [{"version": "v2"}]}
    api.put(QUEUES, {"metadata": {"name": "team-a"}})
    api.controls.allowed = lambda call: call.namespace == "team-a" or "/apis" in call.resource
    with pytest.raises(NotAllowed, match="bypass its quotas") as caught:
        await found(api, pinned)
    assert "jupyter-gpuquota-reader" in caught.value.hint
    assert await found(api, "none") == "none"
    api.put(RESOURCE_QUOTAS, QUOTA)
    if pinned == "auto":
        assert await found(api) == "resourcequota"
