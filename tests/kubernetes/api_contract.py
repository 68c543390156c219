"""What every connection to an API server keeps: the fake one, and the one to a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.api import Api, Change, Fault
from jupyter_gpuquota.kubernetes.labels import MANAGED_BY, MANAGER
from jupyter_gpuquota.kubernetes.resources import SECRETS, STATEFUL_SETS
from tests.kubernetes.manifests import secret, stateful_set
from tests.waiting import patience, wait_for

NO_UID = "00000000-0000-0000-0000-000000000000"
MINE = f"{MANAGED_BY}={MANAGER}"


class ApiContract:
    """Subclasses provide the fixtures `api`, and `namespace`: an empty one that exists."""

    async def test_what_was_created_is_read_and_listed(self, api: Api, namespace: str):
        new = await api.create(SECRETS, namespace, secret("a", data="1"))
        assert new.metadata.uid
        assert new.metadata.resource_version
        assert new.metadata.creation_timestamp is not None
        assert new.key == (namespace, "a")
        assert await api.get(SECRETS, namespace, "a") == new
        assert [item.key for item in await api.list(SECRETS, namespace, MINE)] == [(namespace, "a")]
        assert await api.list(SECRETS, namespace, f"{MANAGED_BY}=other") == []

    async def test_a_name_is_taken_once(self, api: Api, namespace: str):
        await api.create(STATEFUL_SETS, namespace, stateful_set("a"))
        with pytest.raises(Fault) as caught:
            await api.create(STATEFUL_SETS, namespace, stateful_set("a"))
        assert (caught.value.status, caught.value.reason) == (409, "AlreadyExists")
        assert caught.value.message == 'statefulsets.apps "a" already exists'

    async def test_what_does_not_exist(self, api: Api, namespace: str):
        for call in (
            api.get(SECRETS, namespace, "nosuch"),
            api.delete(SECRETS, namespace, "nosuch"),
            api.patch(SECRETS, namespace, "nosuch", {}),
        ):
            with pytest.raises(Fault) as caught:
                await call
            assert (caught.value.status, caught.value.reason) == (404, "NotFound")
            assert caught.value.message == 'secrets "nosuch" not found'
        with pytest.raises(Fault) as caught:
            await api.create(SECRETS, "no-such-namespace", secret("a"))
        assert caught.value.message == 'namespaces "no-such-namespace" not found'

    async def test_a_dry_run_changes_nothing(self, api: Api, namespace: str):
        tried = await api.create(SECRETS, namespace, secret("a"), dry_run=True)
        assert tried.metadata.name == "a"
        assert await api.list(SECRETS, namespace, MINE) == []

    async def test_a_merge_patch_changes_adds_and_removes(self, api: Api, namespace: str):
        old = await api.create(
            STATEFUL_SETS, namespace, stateful_set("a", annotations={"keep": "1", "drop": "2"})
        )
        body: dict[str, Any] = {
            "metadata": {"annotations": {"drop": None, "add": "3"}},
            "spec": {"replicas": 1},
        }
        new = await api.patch(STATEFUL_SETS, namespace, "a", body)
        assert new.metadata.annotations == {"keep": "1", "add": "3"}
        assert new.spec.replicas == 1
        assert new.metadata.generation == old.metadata.generation + 1
        assert new.metadata.resource_version != old.metadata.resource_version

    async def test_annotations_leave_the_generation(self, api: Api, namespace: str):
        old = await api.create(STATEFUL_SETS, namespace, stateful_set("a"))
        body = {"metadata": {"annotations": {"add": "3"}}}
        new = await api.patch(STATEFUL_SETS, namespace, "a", body)
        assert new.metadata.generation == old.metadata.generation

    async def test_a_patch_of_another_object_or_version_is_refused(self, api: Api, namespace: str):
        old = (await api.create(SECRETS, namespace, secret("a"))).metadata
        change = {"labels": {"x": "y"}}
        await api.patch(SECRETS, namespace, "a", {"metadata": {"uid": old.uid, **change}})
        for wrong in (
            {"uid": NO_UID},
            {"resourceVersion": old.resource_version},
        ):
            body = {"metadata": {**wrong, "labels": {"x": "z"}}}
            with pytest.raises(Fault) as caught:
                await api.patch(SECRETS, namespace, "a", body)
            assert (caught.value.status, caught.value.reason) == (409, "Conflict")
        assert (await api.get(SECRETS, namespace, "a")).metadata.labels["x"] == "y"

    async def test_status_is_written_apart(self, api: Api, namespace: str):
        await api.create(STATEFUL_SETS, namespace, stateful_set("a"))
        status = {"status": {"replicas": 7, "observedGeneration": 7}}
        same = await api.patch(STATEFUL_SETS, namespace, "a", status)
        assert same.status.replicas == 0
        new = await api.patch(
            STATEFUL_SETS, namespace, "a", {**status, "spec": {"replicas": 1}}, subresource="status"
        )
        assert (new.status.replicas, new.spec.replicas) == (7, 0)

    async def test_apply_creates_changes_and_takes_back(self, api: Api, namespace: str):
        body = secret("a", labels={"one": "1", "two": "2"})
        new = await api.apply(SECRETS, namespace, "a", body)
        await api.patch(SECRETS, namespace, "a", {"metadata": {"annotations": {"theirs": "1"}}})
        changed = await api.apply(SECRETS, namespace, "a", secret("a", labels={"one": "3"}))
        assert changed.metadata.uid == new.metadata.uid
        assert "two" not in changed.metadata.labels
        assert changed.metadata.labels["one"] == "3"
        assert changed.metadata.annotations == {"theirs": "1"}

    async def test_delete_takes_what_is_owned(self, api: Api, namespace: str):
        owner = await api.create(STATEFUL_SETS, namespace, stateful_set("a"))
        await api.create(SECRETS, namespace, secret("a", owner=owner.metadata))
        await api.create(SECRETS, namespace, secret("b"))
        with pytest.raises(Fault) as caught:
            await api.delete(STATEFUL_SETS, namespace, "a", uid=NO_UID)
        assert (caught.value.status, caught.value.reason) == (409, "Conflict")
        await api.delete(STATEFUL_SETS, namespace, "a", uid=owner.metadata.uid)

        async def one_is_left() -> bool:
            return len(await api.list(SECRETS, namespace, MINE)) == 1

        await wait_for(one_is_left)  # the controller manager collects garbage in its own time
        assert [item.metadata.name for item in await api.list(SECRETS, namespace, MINE)] == ["b"]

    async def test_a_watch_tells_all_changes_in_order(self, api: Api, namespace: str):
        first = await api.create(SECRETS, namespace, secret("a"))
        watch = api.watch(SECRETS, namespace, MINE)
        seen = [await _next(watch)]
        while not seen[-1].initial:
            seen.append(await _next(watch))
        assert seen[0].object == first
        assert [change.type for change in seen] == ["ADDED", "BOOKMARK"]
        await api.create(SECRETS, namespace, secret("b"))
        await api.patch(SECRETS, namespace, "a", {"metadata": {"labels": {"x": "y"}}})
        await api.delete(SECRETS, namespace, "b")
        assert await _changes(watch, 3) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
        await watch.aclose()

        again = api.watch(SECRETS, namespace, MINE, version=seen[-1].version)
        assert await _next(again) == Change("BOOKMARK", None, seen[-1].version)
        assert await _changes(again, 3) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "b")]
        await again.aclose()

    async def test_what_leaves_a_selection_is_deleted_for_its_watch(self, api: Api, namespace: str):
        await api.create(SECRETS, namespace, secret("a"))
        watch = api.watch(SECRETS, namespace, MINE)
        assert await _changes(watch, 1) == [("ADDED", "a")]
        for value in ("other", MANAGER):
            body = {"metadata": {"labels": {MANAGED_BY: value}}}
            await api.patch(SECRETS, namespace, "a", body)
        assert await _changes(watch, 2) == [("DELETED", "a"), ("ADDED", "a")]
        await watch.aclose()

    async def test_finalizers_hold_an_object(self, api: Api, namespace: str):
        body = secret("a")
        body["metadata"]["finalizers"] = ["test.example/hold"]
        await api.create(SECRETS, namespace, body)
        await api.delete(SECRETS, namespace, "a")
        assert (await api.get(SECRETS, namespace, "a")).metadata.deletion_timestamp is not None
        await api.patch(SECRETS, namespace, "a", {"metadata": {"finalizers": None}})
        assert await api.list(SECRETS, namespace, MINE) == []


async def _next(watch: AsyncGenerator[Change[Any]]) -> Change[Any]:
    async with asyncio.timeout(patience()):
        return await anext(watch)


async def _changes(watch: AsyncGenerator[Change[Any]], count: int) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    while len(found) < count:
        change = await _next(watch)
        if change.object is not None:
            found.append((change.type, change.object.metadata.name))
    return found
