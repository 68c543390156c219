"""A controller killed before or after any of its calls: the next one completes what it began."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from jupyter_gpuquota.kubernetes.labels import RECORD
from jupyter_gpuquota.kubernetes.resources import (
    CLAIMS,
    JOBS,
    PODS,
    SECRETS,
    SERVICES,
    STATEFUL_SETS,
)
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.kubernetes.driving import Driver, controller, settled, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster

pytestmark = pytest.mark.asyncio

MOST = 40
"""More calls than any action takes."""


class Mortal:
    """A connection that hangs for ever from one call on: its controller is as good as dead.

    The call that is the last either has no effect, or has one whose answer never comes.
    """

    def __init__(self, api: FakeApi, last: int, *, done: bool) -> None:
        self._api = api
        self._last = last
        self._done = done
        self.calls = 0
        self.writes = 0

    @property
    def is_dead(self) -> bool:
        return self.calls >= self._last

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._api, name)
        if name not in ("create", "patch", "delete", "get", "read"):
            return call

        async def counted(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            has_effect = not self.is_dead or (self.calls == self._last and self._done)
            if has_effect:
                self.writes += name not in ("get", "read")
                answer = await call(*args, **kwargs)
            if self.is_dead:
                await asyncio.Event().wait()
            return answer

        return counted


Verb = Callable[[Driver], Awaitable[Any]]
VERBS: dict[str, tuple[tuple[str, ...], str, Verb]] = {
    # The states that lead to the session before, then what is asked, and the states it may end in.
    "stop": (("running",), "stopped", lambda d: d.sessions.stop(d.only().id)),
    "suspend": (("running",), "suspended", lambda d: d.sessions.suspend(d.only().id)),
    "resume": (("running", "stopped"), "running", lambda d: d.sessions.resume(d.only().id)),
    "resize": (
        ("running",),
        "running",
        lambda d: d.sessions.resize(d.only().id, Share(milli=250)),
    ),
}


async def prepare(api: FakeApi, cluster: FakeCluster, states: tuple[str, ...], kind: str) -> None:
    """Bring a session into a state, with a controller that then ends in order."""
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(kind=kind), "me")
        await until(cluster, lambda: driver.only().state == "running")
        if "stopped" in states:
            await driver.sessions.stop(session.id)
            await until(cluster, lambda: driver.only().state == "stopped")
        await settled(cluster, api)


async def killed(api: FakeApi, cluster: FakeCluster, mortal: Mortal, verb: Verb) -> None:
    """Let a mortal controller act until it hangs, or has nothing more to do."""
    async with controller(mortal) as driver:
        acting = asyncio.ensure_future(verb(driver))
        await settled(cluster, api)
        acting.cancel()
        await asyncio.gather(acting, return_exceptions=True)


def assert_whole(api: FakeApi, *, up: bool) -> None:
    """Check that one session is there with all its objects, each once and nothing half-made."""
    workloads = [*api.all(STATEFUL_SETS), *api.all(JOBS)]
    holders = [raw for raw in (*workloads, *api.all(SECRETS)) if _has_record(raw)]
    assert len(holders) == 1
    assert len(api.all(SECRETS)) <= 1
    assert len(api.all(PODS)) == int(up)
    if up:
        [workload], [secret], [service] = workloads, api.all(SECRETS), api.all(SERVICES)
        for child in (secret, service):
            [owner] = child["metadata"]["ownerReferences"]
            assert owner["uid"] == workload["metadata"]["uid"]


def _has_record(raw: dict[str, Any]) -> bool:
    return RECORD in raw["metadata"].get("annotations", {})


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kind", ["interactive", "train"])
async def test_killed_in_a_launch(kind: str, *, done: bool) -> None:
    for last in range(1, MOST):
        api = FakeApi()
        cluster, mortal = FakeCluster(api), Mortal(api, last, done=done)
        await killed(api, cluster, mortal, lambda d: d.sessions.create(spec(kind=kind), "me"))
        async with controller(api) as heir:
            await settled(cluster, api)
            created = last > 1 or done
            assert [s.state for s in heir.board.sessions] == ["running"] * created
            assert len(cluster.started) == int(created)
            if created:
                assert_whole(api, up=True)
        if not mortal.is_dead:
            break
    assert last > 4


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kind", ["interactive", "train"])
async def test_killed_in_a_launch_with_a_new_volume(kind: str, *, done: bool) -> None:
    new = Mount(volume="exp-out", path="/out", storage_class="shared", size=2**30)
    asked = spec(kind=kind, volumes=(new,))
    for last in range(1, MOST):
        api = FakeApi()
        cluster, mortal = FakeCluster(api), Mortal(api, last, done=done)
        await killed(api, cluster, mortal, lambda d: d.sessions.create(asked, "me"))
        async with controller(api) as heir:
            await settled(cluster, api)
            created = last > 1 or done
            assert [s.state for s in heir.board.sessions] == ["running"] * created
            assert [raw["metadata"]["name"] for raw in api.all(CLAIMS)] == ["exp-out"] * created
            if created:
                assert_whole(api, up=True)
                [claim] = api.all(CLAIMS)
                assert "ownerReferences" not in claim["metadata"]
        if not mortal.is_dead:
            break
    assert last > 5


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kind", ["interactive", "train"])
@pytest.mark.parametrize("name", VERBS)
async def test_killed_in_a_change(name: str, kind: str, *, done: bool) -> None:
    before, after, verb = VERBS[name]
    for last in range(1, MOST):
        api = FakeApi()
        cluster = FakeCluster(api)
        await prepare(api, cluster, before, kind)
        starts = len(cluster.started)
        mortal = Mortal(api, last, done=done)
        await killed(api, cluster, mortal, verb)
        async with controller(api) as heir:
            await settled(cluster, api)
            asked = mortal.writes > 0
            state = after if asked else before[-1]
            assert heir.only().state == state
            assert_whole(api, up=state == "running")
            assert len(cluster.started) - starts == int(asked and after == "running")
            assert heir.only().spec.share.milli == (250 if asked and name == "resize" else 1000)
        if not mortal.is_dead:
            break
    assert last > 1


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("kind", ["interactive", "train"])
async def test_killed_in_a_deletion(kind: str, *, done: bool) -> None:
    for last in range(1, MOST):
        api = FakeApi()
        cluster = FakeCluster(api)
        await prepare(api, cluster, ("running", "stopped"), kind)
        mortal = Mortal(api, last, done=done)
        await killed(api, cluster, mortal, lambda d: d.sessions.delete(d.only().id))
        async with controller(api) as heir:
            await settled(cluster, api)
            if heir.board.sessions:
                assert heir.only().state == "stopped"
                assert_whole(api, up=False)
            else:
                assert not [*api.all(STATEFUL_SETS), *api.all(JOBS), *api.all(SECRETS)]
        if not mortal.is_dead:
            break
    assert last > 1
