"""The kubernetes backend keeps every promise, with Kueue, ResourceQuotas and KAI Scheduler."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from msgspec.structs import replace

from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.labels import SESSION
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.cluster import Cluster
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.contract_projects import (
    QUOTAS,
    clear,
    make_kai,
    make_kueue,
    make_namespaces,
    make_quotas,
    remove_kai,
    remove_kueue,
    remove_namespaces,
    remove_quotas,
)
from tests.cluster.kai_scheduler import StandIn, scheduling
from tests.cluster.rbac import RBAC
from tests.cluster.serving import serving
from tests.contract.abilities_contract import ExecContract, IngressContract, LogsContract
from tests.contract.access_contract import AccessContract
from tests.contract.access_table import ADMIN
from tests.contract.backend_contract import BackendContract
from tests.contract.data import publish
from tests.contract.data_jobs_contract import CachesContract, DataJobsContract
from tests.contract.datasets_contract import DatasetsContract
from tests.contract.helpers import run, until
from tests.contract.inventory_contract import InventoryContract
from tests.contract.planning_contract import PlanningContract
from tests.contract.required_contract import RequiredContract
from tests.contract.sessions_contract import SessionsContract
from tests.contract.templates_contract import TemplatesContract
from tests.contract.volumes_contract import VolumesContract
from tests.fakes import ask
from tests.kubernetes.chart import rendered
from tests.kubernetes.engine_pages import manifests
from tests.kubernetes.fake_rbac import MANIFESTS, PREFIX
from tests.waiting import wait_for

ROLES = {"owner": "member", "member": "member", "viewer": "viewer", "lead": "lead"}
"""The roles of the access table's people in team-c."""


DECLARES = frozenset(
    {
        "logs",
        "exec",
        "terminals",
        "ingress",
        "history",
        "administration",
        "policing",
        "lakes",
        "datasets",
        "caches",
        "jobs",
        "uses",
        "volumes",
        "snapshots",
        "streaming",
        "keeping",
        "runs",
        "templates",
        "variables",
    }
)
"""The optional capabilities of the backend."""


@pytest.fixture(scope="module")
def projects(kubelet: Cluster) -> Iterator[Rest]:
    """The projects and their people; each class gives them quotas of its engine."""
    with kubelet.keeping() as rest:
        make_namespaces(rest)
        for manifest in yaml.safe_load_all(MANIFESTS.read_text()):
            rest.apply(manifest)
        for person, role in ROLES.items():
            _bind(rest, "RoleBinding", role, person, "team-c")
        _bind(rest, "RoleBinding", "member", "outsider", "team-a")
        _bind(rest, "ClusterRoleBinding", "admin", ADMIN)
        yield rest
        remove_namespaces(rest)


async def opened(
    kubelet: Cluster, folder: Path, engine: str, parts: str = "milli", *, data: bool = False
) -> AsyncIterator[Backend]:
    """Run a backend with the rights of the cluster's administrator.

    With `data` it has empty caches and a new lake, and a Job reads each cache at once.
    """
    claim = {
        "dataset_claim": "datasets",
        "dataset_image": "any",
        "dataset_cpu": "10m",
        "dataset_memory": "64Mi",
    }
    config = KubernetesConfig(
        kubeconfig=str(kubelet.kubeconfig()),
        namespaces=["team-a", "team-b", "team-c"],
        engine=engine,
        milli_resource=MILLI_GPU,
        shares=["whole", parts],
        user_prefixes={"token": ""},
        allowed_images=[],
        lease="team-a/controller",
        **(claim if data else {}),
    )
    if data:
        for name in QUOTAS:
            cached = kubelet.claim(name, "datasets")
            await asyncio.to_thread(shutil.rmtree, cached, ignore_errors=True)
    async with serving(config, folder) as backend:
        if data:
            await _name_lake(backend, folder / "lake")
        yield backend


async def _name_lake(backend: Backend, folder: Path) -> None:
    """Let the administrator name a lake in a folder, and wait until it is open."""
    lake = Lake(name="local", url=folder.as_uri(), default=True)
    await backend.lakes.put(replace(backend.lakes.settings(), lakes=(lake,)), ADMIN)
    await wait_for(lambda: not backend.datasets.lakes()[0].problem)


@pytest.fixture(scope="class")
def kueue(projects: Rest) -> Iterator[Rest]:
    make_kueue(projects)
    yield projects
    clear(projects)
    remove_kueue(projects)


@pytest.fixture(scope="class")
def quotas(projects: Rest) -> Iterator[Rest]:
    make_quotas(projects)
    yield projects
    clear(projects)
    remove_quotas(projects)


@pytest.fixture(scope="class")
def kai(projects: Rest) -> Iterator[Rest]:
    make_kai(projects)
    yield projects
    clear(projects)
    remove_kai(projects)


@pytest.fixture(scope="class")
def scheduler(kai: Rest) -> Iterator[StandIn]:
    with scheduling(kai, tuple(QUOTAS)) as stand_in:
        yield stand_in


class OnKueue:
    """A backend whose engine is Kueue; with `data` it has caches and a lake."""

    data = False

    @pytest_asyncio.fixture
    async def backend(
        self, kubelet: Cluster, kueue: Rest, tmp_path: Path
    ) -> AsyncIterator[Backend]:
        await asyncio.to_thread(clear, kueue)
        async for backend in opened(kubelet, tmp_path, "kueue", data=self.data):
            yield backend


class OnQuotas:
    """A backend whose engine is ResourceQuota."""

    data = False

    @pytest_asyncio.fixture
    async def backend(
        self, kubelet: Cluster, quotas: Rest, tmp_path: Path
    ) -> AsyncIterator[Backend]:
        await asyncio.to_thread(clear, quotas)
        async for backend in opened(kubelet, tmp_path, "resourcequota", data=self.data):
            yield backend


class EngineContract(SessionsContract, InventoryContract, PlanningContract):
    """What depends on the engine."""


class PodsContract(LogsContract, ExecContract, IngressContract, TemplatesContract):
    """What depends on pods alone."""


class WholeContract(RequiredContract, AccessContract):
    """What is about all that a backend has, with caches on claims."""

    snapshot_class = "test-csi"
    declares = DECLARES
    data = True


class DataContract(DatasetsContract, CachesContract, DataJobsContract):
    """What is about datasets, with caches on claims."""

    data = True

    async def test_a_fetch_is_planned_with_the_size_of_its_version(self, backend: Backend) -> None:
        version = await publish(backend)
        told = JobReport(kind="cache", dataset="faces", version=version.id, state="waiting")
        job = await backend.jobs.report("one", told, "owner")
        assert job.state == "failed"  # no process can write to a claim
        assert job.problem
        assert "filled by Jobs" in job.problem.message
        answer = await backend.caches.fetch(version, "owner")
        assert answer.job
        assert (answer.job.size, answer.job.all_files) == (version.size, version.files)
        (coming,) = backend.caches.all()
        assert (coming.state, coming.size) == ("fetching", version.size)
        assert backend.caches.room().committed == version.size
        await backend.jobs.cancel(answer.job.id)
        await wait_for(lambda: backend.caches.all() == ())


@pytest.mark.asyncio
class TestKueue(OnKueue, PodsContract, EngineContract):
    pass


@pytest.mark.asyncio
class TestDataOfKueue(DataContract, VolumesContract, WholeContract, OnKueue):
    storage_class = "test-csi"


def test_the_whole_contract_is_kept_with_kueue() -> None:
    """A new part of the contract must not be forgotten here."""
    inherited = {*TestKueue.__mro__, *TestDataOfKueue.__mro__}
    assert {*BackendContract.__bases__} <= inherited


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
class TestKai(SessionsContract, PlanningContract):
    """What depends on the engine, with a stand-in for KAI that writes what the real one does."""

    @pytest_asyncio.fixture
    async def backend(self, kubelet: Cluster, kai: Rest, tmp_path: Path) -> AsyncIterator[Backend]:
        await asyncio.to_thread(clear, kai)
        async for backend in opened(kubelet, tmp_path, "kai", "kai"):
            yield backend

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
        session = await run(backend, project="team-c", gpu="0.5")
        [pod] = kai.get(kai.path("v1", "Pod", "team-c"))["items"]
        labels, annotations = pod["metadata"]["labels"], pod["metadata"]["annotations"]
        assert (labels["kai.scheduler/queue"], annotations["gpu-fraction"]) == ("vision", "0.5")
        assert session.placement is not None
        assert session.placement.milli == 500

    async def test_a_part_by_memory_is_what_it_comes_to(self, backend: Backend, kai: Rest) -> None:
        session = await run(backend, gpu_memory="8Gi")
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
        session = await run(backend, gpu="1.5")
        pod = pod_of(session)
        assert pod["annotations"]["gpu-fraction"] == "0.75"
        assert pod["annotations"]["gpu-fraction-num-devices"] == "2"
        gpus = {text for key, text in pod["labels"].items() if key.startswith("runai-gpu-group/")}
        assert len(gpus) == 2
        assert session.placement is not None
        assert session.placement.milli == 1500
        second = await run(backend, "exp-2", gpu="0.25")
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
            await run(backend, f"train-{n}", gpu="8", project="team-b", kind="train")
            for n in range(2)
        ]
        before = jobs()
        taker = await run(backend, "taker", gpu="4")
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


def _bind(rest: Rest, kind: str, role: str, person: str, namespace: str = "") -> None:
    meta = {"name": f"{role}-{person}", **({"namespace": namespace} if namespace else {})}
    subject: dict[str, Any] = {"apiGroup": RBAC, "kind": "User", "name": person}
    rest.apply(
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": kind,
            "metadata": meta,
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": PREFIX + role},
            "subjects": [subject],
        }
    )
