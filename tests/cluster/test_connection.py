"""The connection to a real API server, and what its refusals mean."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml

from jupyter_gpuquota import errors
from jupyter_gpuquota.kubernetes.api import Api, Fault
from jupyter_gpuquota.kubernetes.faults import error
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.resources import (
    EVENTS,
    NAMESPACES,
    NODES,
    PODS,
    RESOURCE_QUOTAS,
    SECRETS,
    STATEFUL_SETS,
    Resource,
)
from tests.cluster.following import connected, names, watching
from tests.cluster.leaving import leave
from tests.cluster.proxy import FaultProxy, Rule
from tests.kubernetes.api_contract import ApiContract
from tests.kubernetes.manifests import secret, stateful_set
from tests.waiting import patience, wait_for

pytestmark = pytest.mark.asyncio

HOOKS = Resource(
    "admissionregistration.k8s.io",
    "v1",
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    Object,
    namespaced=False,
)
UNKNOWN = Resource("nosuch.example", "v1", "things", "Thing", Object)
HOLD = "test.example/hold"


@pytest_asyncio.fixture
async def api(cluster: Any) -> AsyncIterator[Api]:
    async with connected(cluster.kubeconfig()) as api:
        yield api


@pytest_asyncio.fixture
async def namespace(cluster: Any, api: Api, name: str) -> AsyncIterator[str]:
    await api.create(NAMESPACES, "", {"metadata": {"name": name}})
    yield name
    await asyncio.to_thread(leave, cluster.rest(), name)


class TestConnection(ApiContract):
    """The same table as for the fake server."""


# ── Faults ───────────────────────────────────────────────────────────────────────────────────────


async def meaning(call: Any) -> errors.GpuQuotaError:
    with pytest.raises(Fault) as caught:
        await call
    return error(caught.value)


def pod(name: str, **spec: Any) -> dict[str, Any]:
    resources = {"limits": {"cpu": "1", "memory": "1Gi"}}
    container = {"name": "main", "image": "registry.example/a:1", "resources": resources}
    return {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}


async def test_a_quota_that_is_used_up(api: Api, namespace: str):
    quota = {"metadata": {"name": "small"}, "spec": {"hard": {"limits.cpu": "500m"}}}
    await api.create(RESOURCE_QUOTAS, namespace, quota)
    watch = api.watch(RESOURCE_QUOTAS, namespace)
    async with asyncio.timeout(patience()):
        while not ((change := await anext(watch)).object and change.object.status.hard):
            pass
    await watch.aclose()
    found = await meaning(api.create(PODS, namespace, pod("a")))
    assert type(found) is errors.Conflict
    assert found.message == (
        f"The resource quota small of {namespace} is used up: "
        "requested limits.cpu=1, used limits.cpu=0, limit limits.cpu=500m."
    )
    small = pod("a")
    del small["spec"]["containers"][0]["resources"]
    found = await meaning(api.create(PODS, namespace, small))
    assert "requires limits.cpu" in found.message


async def test_pod_security(api: Api, namespace: str):
    level = {"pod-security.kubernetes.io/enforce": "restricted"}
    await api.patch(NAMESPACES, "", namespace, {"metadata": {"labels": level}})
    found = await meaning(api.create(PODS, namespace, pod("a", hostNetwork=True)))
    assert type(found) is errors.Conflict
    assert found.message.startswith(
        f"The pod security level restricted:latest of {namespace} forbids this: host namespaces"
    )


async def test_a_webhook_that_does_not_answer(api: Api, namespace: str):
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["statefulsets"],
    }
    hook = {
        "name": "dead.test.example",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "timeoutSeconds": 2,
        "clientConfig": {"url": "https://127.0.0.1:1/x"},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "rules": [rule],
    }
    await api.create(HOOKS, "", {"metadata": {"name": namespace}, "webhooks": [hook]})
    try:
        async with asyncio.timeout(patience()):
            for number in range(10**6):  # the server notices the webhook in its own time
                try:
                    await api.create(STATEFUL_SETS, namespace, stateful_set(f"a-{number}"))
                except Fault as fault:
                    found = error(fault)
                    break
                await asyncio.sleep(0.1)
    finally:
        await api.delete(HOOKS, "", namespace)
    assert type(found) is errors.Unavailable
    assert "as its webhook dead.test.example failed" in found.message


async def test_a_namespace_that_is_being_deleted(api: Api, namespace: str):
    held = secret("held")
    held["metadata"]["finalizers"] = [HOLD]
    await api.create(SECRETS, namespace, held)
    await api.delete(NAMESPACES, "", namespace)
    try:
        found = await meaning(api.create(SECRETS, namespace, secret("late")))
    finally:
        await api.patch(SECRETS, namespace, "held", {"metadata": {"finalizers": None}})
    await api.create(NAMESPACES, "", {"metadata": {"name": f"{namespace}-2"}})
    await api.delete(NAMESPACES, "", f"{namespace}-2")
    assert type(found) is errors.Conflict
    assert f"The namespace {namespace} is being deleted" in found.message


async def test_what_is_not_there_or_not_allowed(api: Api, namespace: str):
    assert type(await meaning(api.list(UNKNOWN))) is errors.Unsupported
    assert type(await meaning(api.get(PODS, namespace, "nosuch"))) is errors.NotFound
    eve = api.acting_as("eve")
    found = await meaning(eve.create(STATEFUL_SETS, namespace, stateful_set("a")))
    assert type(found) is errors.NotAllowed
    assert found.message == f"eve may not create statefulsets in {namespace}."
    invalid = stateful_set("a")
    invalid["spec"]["template"]["spec"]["containers"][0]["image"] = ""
    found = await meaning(api.create(STATEFUL_SETS, namespace, invalid))
    assert type(found) is errors.InvalidFields
    assert [each.field for each in found.fields] == ["environment"]


async def test_credentials_that_are_not_accepted(cluster: Any, tmp_path: Path):
    config = yaml.safe_load(cluster.kubeconfig().read_text(encoding="utf-8"))
    for entry in config["users"]:
        entry["user"] = {"token": "not-a-token"}
    wrong = tmp_path / "config"
    wrong.write_text(yaml.safe_dump(config), encoding="utf-8")
    async with connected(wrong) as api:
        found = await meaning(api.list(PODS, "default"))
    assert type(found) is errors.NotAllowed
    assert "does not accept the credentials" in found.message
    assert "not-a-token" not in str(found)


# ── Watches ──────────────────────────────────────────────────────────────────────────────────────


async def test_lists_come_over_watches_for_all_kinds(api: Api):
    for resource in (PODS, EVENTS, NODES, NAMESPACES, STATEFUL_SETS):
        before = {each.key for each in await api.list(resource)}
        watch = api.watch(resource)
        found = set()
        async for change in watch:
            if change.initial:
                break
            assert change.object is not None
            found.add(change.object.key)
        await watch.aclose()
        after = {each.key for each in await api.list(resource)}
        assert found >= before & after  # others change the cluster meanwhile


async def test_a_slow_busy_and_unreliable_server(
    proxy: Callable[..., FaultProxy], api: Api, namespace: str
):
    between = proxy()
    between.add(Rule(path=r"watch=1", status=429, retry_after=1, times=1))
    between.add(Rule(path=r"watch=1.*sendInitialEvents", status=422, times=1))
    between.add(Rule(method="GET", delay=2.0))
    async with connected(between.kubeconfig) as slow, watching(slow, namespace) as (watches, cache):
        await api.create(SECRETS, namespace, secret("a"))
        await wait_for(lambda: names(cache) == {"a"})
        between.rules.clear()
        between.add(Rule(method="POST", lost=True, times=1))
        with pytest.raises(Fault) as caught:
            await slow.create(SECRETS, namespace, secret("b"))
        assert caught.value.status == 0
        await wait_for(lambda: names(cache) == {"a", "b"})  # it was created all the same, once
        assert watches.since is None
