"""The fake API server: what the real one does, and faults on demand."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, PODS, SECRETS
from tests.kubernetes.api_contract import ApiContract
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.manifests import secret
from tests.kubernetes.selectors import matches


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.mark.asyncio
class TestFakeApi(ApiContract):
    @pytest.fixture
    def namespace(self) -> str:
        return "team-a"


@pytest.mark.asyncio
async def test_the_nth_call_fails_before_or_after_its_effect(api: FakeApi):
    api.fail(Fault(503, "", "busy"), "create", "secrets", skip=1)
    api.fail(Fault(0, "", "broken pipe"), "create", name="c", done=True)
    await api.create(SECRETS, "team-a", secret("a"))
    for name in ("b", "c"):
        with pytest.raises(Fault):
            await api.create(SECRETS, "team-a", secret(name))
    assert [item["metadata"]["name"] for item in api.all(SECRETS)] == ["a", "c"]
    assert [call.name for call in api.calls] == ["a", "b", "c"]


@pytest.mark.asyncio
async def test_compaction_ends_in_410(api: FakeApi):
    version = (await api.create(SECRETS, "team-a", secret("a"))).metadata.resource_version
    await api.delete(SECRETS, "team-a", "a")
    api.compact()
    with pytest.raises(Fault) as caught:
        await anext(api.watch(SECRETS, version=version))
    assert caught.value.status == 410


@pytest.mark.asyncio
async def test_watches_end_break_and_get_bookmarks(api: FakeApi):
    watch = api.watch(SECRETS)
    assert (await anext(watch)).initial
    api.bookmark()
    assert (await anext(watch)).type == "BOOKMARK"
    waiting = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    api.end_watches()
    with pytest.raises(StopAsyncIteration):
        await waiting
    watch = api.watch(SECRETS)
    await anext(watch)
    api.stop()
    with pytest.raises(Fault) as caught:
        await anext(watch)
    assert caught.value.status == 0
    with pytest.raises(Fault):
        await api.list(SECRETS)
    api.start()
    assert await api.list(SECRETS) == []


@pytest.mark.asyncio
async def test_a_terminating_namespace_takes_nothing_new(api: FakeApi):
    await api.create(SECRETS, "team-a", secret("a"))
    hold = {"metadata": {"finalizers": ["test.example/hold"]}}
    await api.patch(NAMESPACES, "", "team-a", hold)
    await api.delete(NAMESPACES, "", "team-a")
    with pytest.raises(Fault) as caught:
        await api.create(SECRETS, "team-a", secret("b"))
    assert caught.value.causes[0].reason == "NamespaceTerminating"
    await api.patch(NAMESPACES, "", "team-a", {"metadata": {"finalizers": None}})
    assert api.all(SECRETS) == []


@pytest.mark.asyncio
async def test_an_object_whose_owner_is_gone_is_collected(api: FakeApi):
    owner = await api.create(SECRETS, "team-a", secret("a"))
    await api.delete(SECRETS, "team-a", "a")
    await api.create(SECRETS, "team-a", secret("b", owner=owner.metadata))
    assert api.all(SECRETS) == []


@pytest.mark.asyncio
async def test_users_have_the_rights_that_the_test_gives_them(api: FakeApi):
    api.controls.allowed = lambda call: call.user != "alice" or call.namespace == "team-a"
    alice = api.acting_as("alice", ["team-a"])
    assert await alice.list(PODS, "team-a") == []
    with pytest.raises(Fault) as caught:
        await alice.list(PODS, "team-b")
    assert caught.value.message == (
        'pods is forbidden: User "alice" cannot list resource "pods" in API group "" '
        'in the namespace "team-b"'
    )
    assert caught.value.request.verb == "list"


@pytest.mark.parametrize(
    ("selector", "matched"),
    [
        ("", True),
        ("a=1", True),
        ("a==1,b=2", True),
        ("a!=1", False),
        ("c!=1", True),
        ("a,!c", True),
        ("c", False),
        ("!a", False),
        ("a in (0, 1),b notin (3)", True),
        ("a in (0)", False),
    ],
)
def test_selectors(selector: str, matched: bool):  # noqa: FBT001
    assert matches(selector, {"a": "1", "b": "2"}) is matched
