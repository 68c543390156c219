"""The contract of the kubernetes backend, and backends of each engine that keep it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from msgspec.structs import replace

from jupyter_gpuquota.errors import NotLoaded
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.model.datasets.jobs import JobReport
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
from tests.contract.data import publish
from tests.contract.data_jobs_contract import CachesContract, DataJobsContract
from tests.contract.datasets_contract import DatasetsContract
from tests.contract.inventory_contract import InventoryContract
from tests.contract.planning_contract import PlanningContract
from tests.contract.required_contract import RequiredContract
from tests.contract.sessions_contract import SessionsContract
from tests.contract.templates_contract import TemplatesContract
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
        with suppress(ConnectionError):  # the tests may have ended the cluster
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
    """Let the administrator name a lake in a folder, and wait until its datasets can be listed."""
    lake = Lake(name="local", url=folder.as_uri(), default=True)
    await backend.lakes.put(replace(backend.lakes.settings(), lakes=(lake,)), ADMIN)
    await wait_for(lambda: not backend.datasets.lakes()[0].problem)
    await wait_for(partial(_is_loaded, backend))


def _is_loaded(backend: Backend) -> bool:
    """Return whether datasets and snapshots can be listed: on a busy machine, after the start."""
    try:
        backend.datasets.all()
        if backend.snapshots:
            backend.snapshots.all()
    except NotLoaded:
        return False
    return True


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


class OnKai:
    """A backend whose engine is a stand-in for KAI that writes what the real one does."""

    @pytest_asyncio.fixture
    async def backend(self, kubelet: Cluster, kai: Rest, tmp_path: Path) -> AsyncIterator[Backend]:
        await asyncio.to_thread(clear, kai)
        async for backend in opened(kubelet, tmp_path, "kai", "kai"):
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
