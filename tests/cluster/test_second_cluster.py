"""What runs on a second cluster: the contract with other engines, and what breaks a cluster.

The projects of the contract have the names that they have with Kueue on the cluster of the run.
What breaks the cluster comes last, one test after the other, and each repairs it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.faults import error
from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.kubernetes.resources import NAMESPACES, SECRETS, STATEFUL_SETS
from jupyter_gpuquota.model.sessions import Session, SessionQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.cluster import ROOT, Cluster
from scripts.cluster.rest import Refused, Rest
from scripts.cluster.setup import wait_for as wait_until
from tests.cluster.controllers import assert_whole, refusal, running
from tests.cluster.engine_contract import (
    DataContract,
    EngineContract,
    OnKai,
    OnQuotas,
    PodsContract,
    WholeContract,
    kai,
    projects,
    quotas,
    scheduler,
)
from tests.cluster.following import connected, names, watching
from tests.cluster.kai_scheduler import StandIn
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.teams import Teams
from tests.cluster.workloads import stateful_set
from tests.contract.access_table import ADMIN
from tests.contract.helpers import run as run_session
from tests.contract.helpers import until
from tests.contract.planning_contract import PlanningContract
from tests.contract.sessions_contract import SessionsContract
from tests.fakes import ask
from tests.kubernetes.chart import rendered
from tests.kubernetes.engine_pages import manifests
from tests.kubernetes.manifests import secret
from tests.waiting import wait_for

__all__ = ["kai", "projects", "quotas", "scheduler"]

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


@pytest.fixture(scope="module")
def kubelet(run: tuple[subprocess.Popen[str], Cluster]) -> Cluster:
    """The second cluster, for the contract."""
    return run[1]


# ── The contract with other engines ──────────────────────────────────────────────────────────────


@pytest.mark.asyncio
class TestResourceQuota(OnQuotas, EngineContract):
    pass


@pytest.mark.asyncio
class TestAccessToResourceQuota(WholeContract, OnQuotas):
    pass


@pytest.mark.rare
@pytest.mark.asyncio
class TestPodsOfResourceQuota(OnQuotas, PodsContract):
    """What the tests with Kueue hold, too."""


@pytest.mark.rare
@pytest.mark.asyncio
class TestDataOfResourceQuota(DataContract, OnQuotas):
    """What the tests with Kueue hold, too."""


@pytest.mark.asyncio
@pytest.mark.usefixtures("scheduler")
class TestKai(OnKai, SessionsContract, PlanningContract):
    """What depends on the engine."""

    async def test_processes_start_together_or_not_at_all(
        self, backend: Backend, kai: Rest
    ) -> None:
        def asked(name: str, gpu: str) -> SessionRequest:
            command = ("sleep", "600")
            return SessionRequest(
                name=name, project="team-b", gpu=gpu, kind="train", processes=2, command=command
            )

        first = await ask(backend, "sessions.create", ADMIN, body=asked("first", "1"))
        running = await until(backend, first.id, "running")
        assert running.placement.milli == 2000
        second = await ask(backend, "sessions.create", ADMIN, body=asked("second", "8"))
        await until(backend, second.id, lambda found: found.reason is not None)
        pods = kai.get(kai.path("v1", "Pod", "team-b"))["items"]
        others = [each["spec"] for each in pods if "second" in each["metadata"]["name"]]
        assert len(others) == 2
        assert not [each for each in others if "nodeName" in each]
        await ask(backend, "sessions.stop", ADMIN, args={"id": first.id})
        again = await until(backend, second.id, "running")
        assert again.placement.milli == 16000

    async def test_a_department_has_what_its_projects_hold(self, backend: Backend) -> None:
        command = ("sleep", "600")
        asked = SessionRequest(name="one", project="team-b", gpu="1", kind="train", command=command)
        first = await ask(backend, "sessions.create", ADMIN, body=asked)
        await until(backend, first.id, "running")
        found = await ask(backend, "quota.get", ADMIN)
        [whole] = found.departments
        assert set(whole.projects) == {use.name for use in found.projects}
        assert (whole.parent, whole.quota, whole.limit, whole.allocated) == ("", None, None, 1000)

    async def test_a_project_of_kai_names_the_queue_of_its_namespace(
        self, backend: Backend, kai: Rest
    ) -> None:
        session = await run_session(backend, project="team-c", gpu="0.5")
        [pod] = kai.get(kai.path("v1", "Pod", "team-c"))["items"]
        labels, annotations = pod["metadata"]["labels"], pod["metadata"]["annotations"]
        assert (labels["kai.scheduler/queue"], annotations["gpu-fraction"]) == ("vision", "0.5")
        assert session.placement is not None
        assert session.placement.milli == 500

    async def test_a_part_by_memory_is_what_it_comes_to(self, backend: Backend, kai: Rest) -> None:
        session = await run_session(backend, gpu_memory="8Gi")
        [pod] = kai.get(kai.path("v1", "Pod", "team-a"))["items"]
        assert pod["metadata"]["annotations"]["gpu-memory"] == "8192"
        assert session.placement is not None
        assert session.placement.milli == 250

    async def test_an_amount_above_one_is_the_same_part_of_two_gpus(
        self, backend: Backend, kai: Rest
    ) -> None:
        def pod_of(session: Session) -> Any:
            selected = f"?labelSelector={SESSION}={session.id}"
            [found] = kai.get(kai.path("v1", "Pod", "team-a") + selected)["items"]
            return found["metadata"]

        asked = SessionRequest(name="exp-1", project="team-a", gpu="2.5")
        preview = await ask(backend, "sessions.preview", ADMIN, body=asked)
        assert preview.sentences[0].text == "Rounded up to 2.52 GPUs (0.84 of each of 3)."
        session = await run_session(backend, gpu="1.5")
        pod = pod_of(session)
        assert pod["annotations"]["gpu-fraction"] == "0.75"
        assert pod["annotations"]["gpu-fraction-num-devices"] == "2"
        gpus = {text for key, text in pod["labels"].items() if key.startswith("runai-gpu-group/")}
        assert len(gpus) == 2
        assert session.placement is not None
        assert session.placement.milli == 1500
        second = await run_session(backend, "exp-2", gpu="0.25")
        assert pod_of(second)["labels"]["runai-gpu-group"] in gpus
        found = await ask(backend, "quota.get", ADMIN)
        assert {use.name: use.allocated for use in found.projects}["team-a"] == 1750

    async def test_a_job_whose_pod_is_told_of_its_eviction_goes_on(
        self,
        backend: Backend,
        kai: Rest,
        scheduler: StandIn,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def jobs() -> dict[str, str]:
            found = kai.get(kai.path("batch/v1", "Job", "team-b"))["items"]
            every = {each["metadata"]["name"]: each["metadata"]["uid"] for each in found}
            return {name: uid for name, uid in every.items() if name.startswith("gpu-train-")}

        monkeypatch.setattr(scheduler, "tells", True)
        trainings = [
            await run_session(backend, f"train-{n}", gpu="8", project="team-b", kind="train")
            for n in range(2)
        ]
        before = jobs()
        taker = await run_session(backend, "taker", gpu="4")
        ids = {each.id for each in trainings}
        [gone] = [s.id for s in backend.sessions.all() if s.id in ids and s.state != "running"]
        victim = await until(backend, gone, lambda s: s.state == "waiting")
        assert victim.reclaimed is not None
        assert victim.reclaimed.session == taker.id
        await backend.sessions.stop(taker.id)
        again = await until(backend, gone, "running")
        assert again.run == 2
        assert jobs() == before

    async def test_the_queues_of_page_and_chart_are_accepted(self, kai: Rest) -> None:
        shown = [*manifests("kai"), *rendered("team-a", engine="kai")]
        queues = [each for each in shown if each["kind"] == "Queue"]
        assert len(queues) == 4
        for each in queues:
            assert kai.apply(each, dry_run=True)


# ── Programs are killed ──────────────────────────────────────────────────────────────────────────


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


async def created(api: Api, name: str) -> str:
    """Create a namespace, which goes with its cluster."""
    await api.create(NAMESPACES, "", {"metadata": {"name": name}})
    return name


@pytest.mark.asyncio
async def test_a_restarted_server(breakable: Cluster, name: str):
    async with (
        connected(breakable.kubeconfig()) as api,
        watching(api, await created(api, name)) as (watches, cache),
    ):
        await api.create(SECRETS, name, secret("kept"))
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
        await api.create(SECRETS, name, secret("new"))
        await wait_for(lambda: names(cache) == {"kept", "new"})


@pytest.mark.asyncio
async def test_a_compacted_history(breakable: Cluster, tmp_path: Path, name: str):
    with FaultProxy.running(breakable.kubeconfig(), tmp_path) as between:
        between.add(Rule(path="watch=1", cut=0.5))
        async with (
            connected(breakable.kubeconfig()) as api,
            connected(between.kubeconfig) as held_up,
            watching(held_up, await created(api, name)) as (watches, cache),
        ):
            for each in ("kept", "gone"):
                await api.create(SECRETS, name, secret(each))
            await wait_for(lambda: names(cache) == {"kept", "gone"})
            history: list[set[str]] = []
            cache.subscribe(lambda _: history.append(names(cache)))

            # While the watch is held up, the cluster goes on, and etcd forgets what was.
            between.rules[:] = [Rule(path="watch=1", status=503)]
            await wait_for(lambda: watches.since is not None)
            await api.delete(SECRETS, name, "gone")
            await api.create(SECRETS, name, secret("late"))
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
        # It exists; what its pod needs is made from now on.
        await controller.launch("amid")
        await asyncio.to_thread(breakable.kill, "apiserver")

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
