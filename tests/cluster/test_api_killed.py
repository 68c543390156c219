"""The whole backend while programs of a cluster are killed, and started again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.resources import STATEFUL_SETS
from jupyter_gpuquota.model.sessions import SessionQuery
from scripts.cluster.cluster import Cluster
from tests.cluster.controllers import assert_whole, refusal, running
from tests.cluster.rbac import connected
from tests.cluster.teams import Teams
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def project(breakable: Cluster, name: str) -> str:
    teams = Teams(breakable.rest(), name)
    return (await asyncio.to_thread(teams.with_kueue, "team-a", 64000)).namespace


@pytest_asyncio.fixture
async def api(breakable: Cluster) -> AsyncIterator[Api]:
    async with connected(breakable.kubeconfig()) as [api]:
        yield api


async def test_an_api_server_that_is_killed(
    breakable: Cluster, api: Api, project: str, tmp_path: Path
):
    async with running(breakable.kubeconfig(), tmp_path / "state", project) as controller:
        await controller.launch("before")
        await controller.until("running", "before")
        launching = asyncio.create_task(controller.launch("amid"))
        await wait_for(lambda: controller.session("amid"))
        await asyncio.to_thread(breakable.kill, "apiserver")
        await launching

        async def warned() -> bool:
            said = await controller.warnings()
            return "does not respond" in said and "The state shown is" in said

        await wait_for(warned)
        shown = await controller.ask("sessions.list", query=SessionQuery())
        assert {each.spec.name for each in shown.items} == {"before", "amid"}
        assert controller.session("before").state == "running"
        for asked in (controller.ask("sessions.stop", "before"), controller.launch("late")):
            said = await refusal(asked, Unavailable)
            assert "does not respond" in said
            assert "Try again in a moment" in said

        await asyncio.to_thread(breakable.start, "apiserver")
        session = await controller.until("running", "amid")
        assert session.run == 1
        for each in ("before", "amid"):
            await assert_whole(api, project, each)

        async def well() -> bool:
            return not await warned()

        await wait_for(well)
        await controller.ask("sessions.stop", "before")
        await controller.until("stopped", "before")
        assert controller.session("late") is None


async def test_kueue_is_away(breakable: Cluster, api: Api, project: str, tmp_path: Path):
    async with running(breakable.kubeconfig(), tmp_path / "state", project) as controller:
        await asyncio.to_thread(breakable.stop, "kueue")
        said = await refusal(controller.launch(), Unavailable)
        assert "as its webhook mstatefulset.kb.io failed" in said
        assert "Try again later" in said
        assert await api.list(STATEFUL_SETS, project) == []
        assert controller.session() is None

        async def warned() -> bool:
            return "Kueue does not respond" in await controller.warnings()

        await wait_for(warned)
        await asyncio.to_thread(breakable.start, "kueue")
        await controller.launch()
        await asyncio.to_thread(breakable.kill, "kueue")
        # Whichever of its calls that was between: it says what it waits for, or it runs.
        await wait_for(lambda: controller.reason() or controller.shows("exp", "running"))
        await asyncio.to_thread(breakable.start, "kueue")
        assert (await controller.until("running")).run == 1
        await assert_whole(api, project)
