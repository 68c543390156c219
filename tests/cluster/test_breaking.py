"""A cluster whose programs are killed and started again, and at last the run that holds it.

All tests that break a cluster are in this file: they share one besides that of the run, one after
the other, and each repairs it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.faults import error
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.model.sessions import SessionQuery
from scripts.cluster.cluster import ROOT, Cluster
from scripts.cluster.rest import Refused
from scripts.cluster.setup import wait_for as wait_until
from tests.cluster.controllers import assert_whole, refusal, running
from tests.cluster.following import connected, names, watching
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.teams import Teams
from tests.cluster.workloads import stateful_set
from tests.kubernetes.manifests import secret
from tests.waiting import wait_for

RUN = """
import sys
from scripts.cluster.cluster import running
with running() as cluster:
    print(cluster.layout.folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def run() -> Iterator[tuple[subprocess.Popen[str], Cluster]]:
    """A process that holds a cluster until its input ends, and that cluster."""
    if "KUBECONFIG_TEST" in os.environ:
        pytest.skip("an existing cluster is not broken, and none is built beside it")
    with subprocess.Popen(
        [sys.executable, "-c", RUN],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process, Cluster(Path(process.stdout.readline().strip()))
        process.stdin.close()


@pytest.fixture
def breakable(run: tuple[subprocess.Popen[str], Cluster]) -> Iterator[Cluster]:
    """A cluster whose programs a test may end; they run again afterwards."""
    _, cluster = run
    yield cluster
    cluster.repair()


def test_programs_are_killed_and_started_again(breakable: Cluster):
    rest = breakable.rest()
    namespaces = "/api/v1/namespaces"
    version = rest.get(namespaces)["metadata"]["resourceVersion"]
    team = Teams(rest, "broken").with_kueue("team-a", milli=1000)

    breakable.kill("apiserver")
    with pytest.raises(OSError, match="refused"):
        rest.get(namespaces)
    breakable.compact()
    breakable.start("apiserver")
    watch = f"{namespaces}?watch=1&resourceVersion={version}&timeoutSeconds=5"
    assert b'"code":410' in rest.request("GET", watch)

    breakable.stop("kueue")
    with pytest.raises(Refused, match="failed calling webhook"):
        rest.create(stateful_set(team, "exp", {"nvidia.com/gpu": "1"}))
    breakable.start("kueue")
    rest.create(stateful_set(team, "exp", {"nvidia.com/gpu": "1"}))
    pod = f"{namespaces}/{team.namespace}/pods/exp-0"
    wait_until(lambda: rest.get(pod)["status"]["phase"] == "Running", "the pod runs")


@asynccontextmanager
async def inside(api: Api, name: str) -> AsyncIterator[str]:
    """A namespace of a cluster that several tests break, one after the other."""
    await api.create(NAMESPACES, "", {"metadata": {"name": name}})
    yield name
    await api.delete(NAMESPACES, "", name)


@pytest.mark.asyncio
async def test_a_restarted_server(breakable: Cluster, name: str):
    async with (
        connected(breakable.kubeconfig()) as api,
        inside(api, name) as place,
        watching(api, place) as (watches, cache),
    ):
        await api.create(SECRETS, place, secret("kept"))
        await wait_for(lambda: names(cache) == {"kept"})
        before = datetime.now(UTC)
        await asyncio.to_thread(breakable.kill, "apiserver")
        await wait_for(lambda: watches.since is not None)
        assert watches.since is not None
        assert watches.since >= before
        assert watches.fault is not None
        assert type(error(watches.fault)) is Unavailable
        assert names(cache) == {"kept"}

        await asyncio.to_thread(breakable.start, "apiserver")
        await wait_for(lambda: watches.since is None)
        await api.create(SECRETS, place, secret("new"))
        await wait_for(lambda: names(cache) == {"kept", "new"})


@pytest.mark.asyncio
async def test_a_compacted_history(breakable: Cluster, tmp_path: Path, name: str):
    with FaultProxy.running(breakable.kubeconfig(), tmp_path) as between:
        between.add(Rule(path="watch=1", cut=0.5))
        async with (
            connected(breakable.kubeconfig()) as api,
            inside(api, name) as place,
            connected(between.kubeconfig) as held_up,
            watching(held_up, place) as (watches, cache),
        ):
            for each in ("kept", "gone"):
                await api.create(SECRETS, place, secret(each))
            await wait_for(lambda: names(cache) == {"kept", "gone"})
            history: list[set[str]] = []
            cache.subscribe(lambda _: history.append(names(cache)))

            # While the watch is held up, the cluster goes on, and etcd forgets what was.
            between.rules[:] = [Rule(path="watch=1", status=503)]
            await wait_for(lambda: watches.since is not None)
            await api.delete(SECRETS, place, "gone")
            await api.create(SECRETS, place, secret("late"))
            await asyncio.to_thread(breakable.compact)
            # The API server remembers what it has seen, but not over its own end.
            await asyncio.to_thread(breakable.kill, "apiserver")
            await asyncio.to_thread(breakable.start, "apiserver")
            assert names(cache) == {"kept", "gone"}
            assert watches.since is not None

            between.requests.clear()
            between.rules.clear()
            await wait_for(lambda: names(cache) == {"kept", "late"})
            await wait_for(lambda: watches.since is None)
            again = [each for each in between.requests if "watch=1" in each]
            assert "resourceVersion=" in again[0]
            assert "sendInitialEvents=true" in again[-1]
            assert all("kept" in each for each in history)


@pytest.fixture
def project(breakable: Cluster, name: str) -> str:
    return Teams(breakable.rest(), name).with_kueue("team-a", 64000).namespace


@pytest.mark.asyncio
async def test_an_api_server_that_is_killed(breakable: Cluster, project: str, tmp_path: Path):
    async with (
        connected(breakable.kubeconfig()) as api,
        running(breakable.kubeconfig(), tmp_path / "state", project) as controller,
    ):
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


@pytest.mark.asyncio
async def test_kueue_is_away(breakable: Cluster, project: str, tmp_path: Path):
    async with (
        connected(breakable.kubeconfig()) as api,
        running(breakable.kubeconfig(), tmp_path / "state", project) as controller,
    ):
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


def test_a_killed_run_leaves_no_process(run: tuple[subprocess.Popen[str], Cluster]):
    process, cluster = run
    pids = list(cluster.pids().values())
    assert len(pids) >= 7
    assert all(psutil.pid_exists(pid) for pid in pids)
    process.kill()
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in pids), "all have ended")
