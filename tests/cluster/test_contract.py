"""The kubernetes backend keeps every promise, with Kueue and with ResourceQuotas."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml

from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.cluster import Cluster
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.contract_projects import (
    clear,
    make_kueue,
    make_namespaces,
    make_quotas,
    remove,
)
from tests.cluster.rbac import RBAC
from tests.cluster.serving import serving
from tests.contract.access_table import ADMIN
from tests.contract.backend_contract import BackendContract
from tests.kubernetes.fake_rbac import MANIFESTS, PREFIX

ROLES = {"owner": "member", "member": "member", "viewer": "viewer", "lead": "lead"}
"""The roles of the access table's people in team-c."""


def projects(rest: Rest, make: Callable[[Rest], None]) -> Iterator[Rest]:
    """Create the projects and their people, and delete them in the end."""
    make_namespaces(rest)
    make(rest)
    for manifest in yaml.safe_load_all(MANIFESTS.read_text()):
        rest.apply(manifest)
    for person, role in ROLES.items():
        _bind(rest, "RoleBinding", role, person, "team-c")
    _bind(rest, "RoleBinding", "member", "outsider", "team-a")
    _bind(rest, "ClusterRoleBinding", "admin", ADMIN)
    yield rest
    clear(rest)
    remove(rest)


async def opened(kubelet: Cluster, folder: Path, engine: str) -> AsyncIterator[Backend]:
    """Run a backend with the rights of the cluster's administrator."""
    config = KubernetesConfig(
        kubeconfig=str(kubelet.kubeconfig()),
        namespaces=["team-a", "team-b", "team-c"],
        engine=engine,
        milli_resource=MILLI_GPU,
        shares=["whole", "milli"],
        user_prefixes={"token": ""},
        allowed_images=[],
        lease="team-a/controller",
    )
    async with serving(config, folder) as backend:
        yield backend


@pytest.fixture(scope="class")
def kueue(kubelet: Cluster) -> Iterator[Rest]:
    yield from projects(kubelet.rest(), make_kueue)


@pytest.fixture(scope="class")
def quotas(kubelet: Cluster) -> Iterator[Rest]:
    yield from projects(kubelet.rest(), make_quotas)


@pytest.mark.asyncio
class TestKueue(BackendContract):
    declares = frozenset(
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
            "jobs",
            "uses",
        }
    )

    @pytest_asyncio.fixture
    async def backend(
        self, kubelet: Cluster, kueue: Rest, tmp_path: Path
    ) -> AsyncIterator[Backend]:
        await asyncio.to_thread(clear, kueue)
        async for backend in opened(kubelet, tmp_path, "kueue"):
            yield backend


@pytest.mark.asyncio
class TestResourceQuota(BackendContract):
    declares = TestKueue.declares

    @pytest_asyncio.fixture
    async def backend(
        self, kubelet: Cluster, quotas: Rest, tmp_path: Path
    ) -> AsyncIterator[Backend]:
        await asyncio.to_thread(clear, quotas)
        async for backend in opened(kubelet, tmp_path, "resourcequota"):
            yield backend


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
