"""Fetches on a cluster whose pods and controllers are killed, and that come twice at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.model.datasets.jobs import Job, JobQuery
from scripts.s3 import servers
from tests.cluster.data_sites import ADMIN, Site, prepared
from tests.cluster.lakes import ShellLake
from tests.store.s3.faulty import Fault, Faulty, running
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

LATEST = {"dataset": "mnist", "version": "latest"}
FILES = {"a": b"one", "b": b"two" * 1000, "large": b"many" * 5_000_000}
STEPS = (0, 1, 2)
"""The requests at which a pod is killed."""


@pytest_asyncio.fixture
async def server() -> AsyncIterator[Faulty]:
    async with running() as server:
        yield server


@pytest.fixture
def make_site(kubelet: Any, teams: Any, server: Faulty, tmp_path: Path) -> Callable[[str], Any]:
    """Makes teams that use one lake on the server."""

    async def make(group: str) -> Site:
        folder = tmp_path / group
        folder.mkdir()
        keys = servers.environment(server.endpoint)
        lake = ShellLake("s3://b/lake", folder / "home", keys)
        hard = {"requests.nvidia.com/gpu": "4"}
        team = await asyncio.to_thread(teams.with_quota, group, hard, processes=True)
        return await prepared(kubelet, team, folder, lake)

    return make


def fetches(site: Site) -> list[psutil.Process]:
    """Return the processes that fetch to a team's claim."""
    claim = str(site.cluster.claim(site.namespace, "datasets"))
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if claim in words and words[3:4] == ["cache"]:
            found.append(process)
    return found


async def last_job(site: Site) -> Job:
    """Return the newest fetch once it has ended."""

    async def ended() -> Job | None:
        found = (await site.ask("jobs.list", ADMIN, query=JobQuery())).items
        [newest, *_] = [job for job in found if job.kind == "cache"]
        return None if newest.active else newest

    job: Job = await wait_for(ended)
    return job


def assert_whole(site: Site, version: str) -> None:
    """Check that the claim has one copy of a version, and nothing half-made."""
    root = site.cluster.claim(site.namespace, "datasets") / "mnist"
    assert [each.name for each in root.iterdir() if not each.name.startswith(".")] == [version]
    tree = root / version / "tree"
    assert {path.name: path.read_bytes() for path in tree.iterdir()} == FILES
    assert not list(root.rglob("*.part"))


async def is_empty(site: Site) -> bool:
    """Return whether nothing is cached."""
    return not await site.copies()


async def test_a_pod_that_is_killed_at_a_request_is_replaced(
    make_site: Any, server: Faulty
) -> None:
    site: Site = await make_site("team-a")
    async with site.controller():
        await site.set_up()
        version = await site.sync(**FILES)
        for step in STEPS:
            deaths = Deaths(site, server, step)
            server.before = deaths.strike
            await site.ask("caches.create", args=LATEST)
            job = await last_job(site)
            server.before = None
            assert deaths.killed
            assert job.state == "done", job
            assert_whole(site, version.id)
            await site.ask("caches.delete", args=LATEST)
            await wait_for(lambda: is_empty(site))


async def test_the_next_controller_completes_a_fetch(make_site: Any, server: Faulty) -> None:
    site: Site = await make_site("team-a")
    async with site.controller():
        await site.set_up()
        version = await site.sync(**FILES)
        server.faults.append(Fault("hangs", methods="GET", key="packs/|objects/"))
        await site.ask("caches.create", args=LATEST)
        [process] = await wait_for(lambda: fetches(site), pause=0.2)
    assert process.is_running()
    async with site.controller():
        await wait_for(lambda: is_fetching(site))
        server.faults.clear()
        server.release.set()
        assert (await last_job(site)).state == "done"
        assert [copy.state for copy in await site.copies()] == ["cached"]
        assert_whole(site, version.id)


async def test_two_controllers_that_fetch_at_once_make_one_copy(
    make_site: Any, server: Faulty, tmp_path: Path
) -> None:
    one: Site = await make_site("team-a")
    other = Site(one.cluster, one.namespace, tmp_path / "other", one.lake)
    lease = f"{one.namespace}/other"
    async with one.controller(), other.controller(lease=lease):
        await one.set_up()
        version = await one.sync(**FILES)
        await other.name_lake()
        await wait_for(lambda: knows(other, version.id))
        server.faults.append(Fault("hangs", methods="GET", key="packs/|objects/"))
        answers = [await each.ask("caches.create", args=LATEST) for each in (one, other)]
        assert answers[0].job.id != answers[1].job.id
        both = await wait_for(lambda: len(fetches(one)) == 2 and fetches(one), pause=0.2)
        server.faults.clear()
        server.release.set()
        for site in (one, other):
            assert (await last_job(site)).state == "done"
            assert [copy.state for copy in await site.copies()] == ["cached"]
        assert len(both) == 2
        assert_whole(one, version.id)


async def knows(site: Site, version: str) -> bool:
    """Return whether a controller has read a version in the lake."""
    try:
        found = await site.ask("versions.get", args=LATEST)
    except NotFound:
        return False
    return bool(found.id == version)


async def is_fetching(site: Site) -> bool:
    """Return whether a controller shows a fetch."""
    return [copy.state for copy in await site.copies()] == ["fetching"]


class Deaths:
    """Kills the fetch of a team at a request to the server."""

    def __init__(self, site: Site, server: Faulty, step: int) -> None:
        self._site = site
        self._server = server
        self._left = step
        self.killed = False

    def strike(self) -> None:
        """Kill it, if this is the request."""
        if self.killed or not (found := fetches(self._site)):
            return
        if not self._left:
            self.killed = True
            for process in found:
                process.kill()
        self._left -= 1
