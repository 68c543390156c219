"""The whole backend while a real API server is away, slow, busy or refuses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import NotAllowed, Unavailable
from jupyter_gpuquota.kubernetes.api import Api, Fault
from jupyter_gpuquota.kubernetes.resources import (
    NAMESPACES,
    RESOURCE_QUOTAS,
    SECRETS,
    STATEFUL_SETS,
)
from jupyter_gpuquota.model.sessions import SessionQuery
from tests.cluster.controllers import WRITES, assert_whole, refusal, running, writes_for
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import BINDINGS, bind, bind_everywhere, connected, install
from tests.cluster.teams import Teams
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

HOLD = "test.example/hold"
SLOW = 2.0


@pytest_asyncio.fixture
async def api(cluster: Any) -> AsyncIterator[Api]:
    async with connected(cluster.kubeconfig()) as [api]:
        yield api


@pytest_asyncio.fixture
async def project(teams: Teams) -> str:
    return (await asyncio.to_thread(teams.with_kueue, "team-a", 64000)).namespace


@pytest.fixture
def between(proxy: Callable[..., FaultProxy]) -> FaultProxy:
    return proxy()


async def test_away_between_any_two_calls_of_a_launch(
    between: FaultProxy, api: Api, project: str, tmp_path: Path
):
    async with running(between.kubeconfig, tmp_path / "state", project) as controller:

        async def warned() -> bool:
            return "The state shown is" in await controller.warnings()

        for number in range(1, 20):
            name = f"exp-{number}"
            path = writes_for(project, name)
            rule = Rule(path, WRITES, act=between.go_down, skip=number, times=1)
            between.add(rule)
            await controller.launch(name)
            await wait_for(lambda name=name: between.is_down or controller.shows(name, "running"))
            if between.is_down:
                await wait_for(warned)
                assert controller.session(name)
                said = await refusal(controller.ask("sessions.stop", name), Unavailable)
                assert "does not respond" in said
                assert "Try again in a moment" in said
                between.is_down = False
            assert (await controller.until("running", name)).run == 1
            await assert_whole(api, project, name)
            # The last write may come after the session runs.
            between.rules.clear()
            between.is_down = False
            if not rule.seen:
                break
        assert 5 < number < 19


async def test_a_slow_server_launches_once_and_delays_no_reader(
    between: FaultProxy, api: Api, project: str, tmp_path: Path
):
    async with running(between.kubeconfig, tmp_path / "state", project) as controller:
        await controller.ask("sessions.list", query=SessionQuery())
        between.add(Rule(delay=SLOW))
        launching = asyncio.create_task(controller.launch())
        took = []
        while not controller.shows("exp", "running"):
            before = time.monotonic()
            await controller.ask("sessions.list", query=SessionQuery())
            took.append(time.monotonic() - before)
            await asyncio.sleep(0.05)
        assert max(took) < SLOW / 2  # no reader waited for the server, however busy this machine is
        assert (await launching).run == 0
        await controller.ask("sessions.stop", "exp")
        await controller.until("stopped")
        assert controller.session().run == 1
        posts = [each for each in between.requests if each.startswith("POST") and project in each]
        assert len(posts) == 4  # workload, Secret, Service, NetworkPolicy: each once


async def test_a_busy_server_is_given_the_time_that_it_asks_for(
    between: FaultProxy, api: Api, project: str, tmp_path: Path
):
    async with running(between.kubeconfig, tmp_path / "state", project) as controller:
        busy = Rule(f"/{project}/", WRITES, status=429, retry_after=1, times=2)
        between.add(busy)
        before = time.monotonic()
        await controller.launch()
        await controller.until("running")
        assert time.monotonic() - before > 2
        between.add(Rule(f"/{project}/statefulsets", "PATCH", status=409, times=2))
        await controller.ask("sessions.stop", "exp")
        await controller.until("stopped")
        between.add(Rule(f"/{project}/", WRITES, status=429, retry_after=1))
        said = await refusal(controller.launch("more"), Unavailable)
        assert "is too busy" in said
        assert controller.session("more") is None
        between.rules.clear()
        found = await api.list(STATEFUL_SETS, project)
        assert [each.metadata.name for each in found] == ["gpu-exp"]


async def test_rights_that_are_taken_away_and_given_back(
    proxy: Callable[..., FaultProxy], cluster: Any, api: Api, project: str, tmp_path: Path
):
    await install(api)
    await bind_everywhere(api, "reader", "bob")
    binding = await bind(api, project, "sessions", "bob")
    between = proxy("bob")
    async with connected(cluster.kubeconfig("bob")) as [theirs]:

        async def allowed() -> bool:
            try:
                await theirs.list(STATEFUL_SETS, project)
            except Fault:
                return False
            return True

        async def forbidden() -> bool:
            return not await allowed()

        await wait_for(allowed)
        async with running(between.kubeconfig, tmp_path / "state", project) as controller:
            await controller.launch()
            await controller.until("running")
            await api.delete(BINDINGS, project, binding)
            await wait_for(forbidden)
            said = await refusal(controller.ask("sessions.stop", "exp"), NotAllowed)
            assert f"bob may not patch statefulsets in {project}" in said
            assert controller.shows("exp", "running")
            between.go_down()  # what is watched is refused only when it is asked for again
            between.is_down = False
            await wait_for(lambda: controller.session() is None)

            async def warned() -> bool:
                said = await controller.warnings()
                return f"bob may not watch statefulsets in {project}" in said

            await wait_for(warned)
    await bind(api, project, "sessions", "bob")
    await wait_for(lambda: _is_listed(cluster, project))
    async with running(between.kubeconfig, tmp_path / "state", project) as controller:
        assert (await controller.until("running")).run == 1


async def _is_listed(cluster: Any, project: str) -> bool:
    async with connected(cluster.kubeconfig("bob")) as [theirs]:
        try:
            return bool(await theirs.list(STATEFUL_SETS, project))
        except Fault:
            return False


async def test_a_quota_of_objects_is_used_up_amid_a_launch(
    between: FaultProxy, api: Api, teams: Teams, tmp_path: Path
):
    hard = {"requests.nvidia.com/gpu": "4", "secrets": "0"}
    team = await asyncio.to_thread(teams.with_quota, "team-b", hard)
    async with running(between.kubeconfig, tmp_path / "state", team.namespace) as controller:
        await controller.launch()
        await wait_for(controller.reason)
        assert "The resource quota gpus of" in controller.reason()
        more = {"spec": {"hard": {**hard, "secrets": "4"}}}
        await api.patch(RESOURCE_QUOTAS, team.namespace, "gpus", more)
        assert (await controller.until("running")).run == 1
        await assert_whole(api, team.namespace)


async def test_a_namespace_is_deleted_amid_a_launch_and_beside_a_running_session(
    between: FaultProxy,
    api: Api,
    project: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
):
    held = {"metadata": {"name": "held", "finalizers": [HOLD]}}
    await api.create(SECRETS, project, held)
    async with running(between.kubeconfig, tmp_path / "state", project) as controller:
        await controller.launch("runs")
        await controller.until("running", "runs")
        refused = Rule(f"/{project}/secrets", "POST", status=503, times=1)
        between.add(refused)
        await controller.launch("begins")
        await wait_for(lambda: refused.seen)
        await api.delete(NAMESPACES, "", project)

        await wait_for(lambda: not controller.backend.sessions.all())
        said = await controller.warnings()
        for name in ("runs", "begins"):
            assert f"{name} of {project} is gone: it was deleted in the cluster" in said
        before = len(between.requests)
        await asyncio.sleep(3)
        after = [each for each in between.requests[before:] if not each.startswith("GET")]
        assert [each for each in after if "/namespaces/" in each] == []
        assert len(caplog.records) < 12
    await api.patch(SECRETS, project, "held", {"metadata": {"finalizers": None}})
