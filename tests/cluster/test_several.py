"""A session goes on to a real cluster, and from one, of which nothing is left then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.clusters.backend import open_clusters
from jupyter_gpuquota.control.assembly import Plugin
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.core.fallbacks import Place
from jupyter_gpuquota.core.requests import specs
from jupyter_gpuquota.kubernetes.backend import PLUGIN, open_kubernetes
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, SECRETS, SERVICES, STATEFUL_SETS
from jupyter_gpuquota.memory import backend as memory
from jupyter_gpuquota.memory.config import MemoryConfig
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.rbac import connected, team_controller
from tests.cluster.teams import Teams
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
ONE_GPU = {"nodes": 1, "gpus": 1}
PLUGINS = {"kubernetes": PLUGIN, "memory": memory.PLUGIN}
OBJECTS = (STATEFUL_SETS, JOBS, PODS, SECRETS, SERVICES)


def load(name: str) -> Plugin:
    return PLUGINS[name]


@pytest_asyncio.fixture
async def namespace(teams: Teams) -> str:
    """A namespace with a quota of one GPU."""
    team = await asyncio.to_thread(teams.with_kueue, "nobody", 1000)
    return team.namespace


@pytest_asyncio.fixture
async def on_cluster(cluster: Any, namespace: str, tmp_path: Path) -> dict[str, Any]:
    """The settings of the cluster; the controller has the rights of the manifests."""
    async with connected(cluster.kubeconfig()) as [admin]:
        own = await team_controller(admin, cluster.kubeconfig(), tmp_path, namespace)
    return {"kubeconfig": str(own), "namespaces": [namespace], "milli_resource": MILLI_GPU}


@asynccontextmanager
async def started(backend: Backend, other: str) -> AsyncIterator[Backend]:
    """Run all clusters until the end of the block; wait for the other one."""
    await backend.resident.start()
    try:
        projects = backend.inventory.projects
        await wait_for(lambda: any(each.name.startswith(f"{other}/") for each in projects()))
        yield backend
    finally:
        await backend.resident.close()


async def place(backend: Backend, project: str, name: str = "exp", **fields: Any) -> Place:
    """Return a place with a checked request for one GPU."""
    there = backend.at(project).inventory
    usual = {"kind": "train", "command": ("sleep", "600"), "gpu": "1", "environment": ""}
    request = SessionRequest(name=name, project=project, **usual | fields)
    look_up = await there.look_up(request)
    facts = specs.Facts(
        projects=there.projects(),
        nodes=there.nodes(),
        place=look_up,
        fits=there.fit,
        containers=there.containers,
    )
    cluster = project.rpartition("/")[0] or "first"
    return Place(name=cluster, cluster=cluster, spec=specs.check(request, facts))


async def create(backend: Backend, *places: Place) -> Session:
    assert backend.fallbacks
    return await backend.fallbacks.create(places, 0, "joe")


async def test_from_this_machine_to_a_cluster(
    on_cluster: dict[str, Any], namespace: str, tmp_path: Path
) -> None:
    entry = {"backend": "kubernetes", "KubernetesConfig": on_cluster}
    control = GpuQuota(projects=[{"name": "team", "quota": "1"}], clusters={"cloud": entry})
    first = memory.open_memory(control, MemoryConfig(**ONE_GPU), tmp_path)
    async with started(open_clusters(first, control, tmp_path, load), "cloud") as backend:
        busy = await create(backend, await place(backend, "team", "busy"))
        await until(backend, busy.id, "running")
        there = await place(backend, f"cloud/{namespace}", environment="i:1")
        session = await create(backend, await place(backend, "team"), there)
        moved = await until(backend, session.id, "running")
        assert moved.spec.project == f"cloud/{namespace}"
        assert moved.placement is not None
        assert moved.placement.node.startswith("cloud/")
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        await backend.sessions.delete(session.id)


@pytest.mark.parametrize("kind", ["train", "interactive"])
async def test_from_a_cluster_of_which_nothing_is_left(
    cluster: Any, on_cluster: dict[str, Any], namespace: str, tmp_path: Path, kind: str
) -> None:
    entry = {"backend": "memory", "MemoryConfig": ONE_GPU}
    control = GpuQuota(clusters={"lab": entry})
    config = KubernetesConfig(**on_cluster)
    first = open_kubernetes(control, config, tmp_path)
    async with started(open_clusters(first, control, tmp_path, load), "lab") as backend:
        # Kueue would preempt a training for an interactive session.
        holds = await place(backend, namespace, "busy", environment="i:1", kind="interactive")
        busy = await create(backend, holds)
        await until(backend, busy.id, "running")
        here = await place(backend, namespace, environment="i:1", kind=kind)
        session = await create(backend, here, await place(backend, "lab/demo", kind=kind))
        moved = await until(backend, session.id, "running")
        assert moved.spec.project == "lab/demo"
        async with connected(cluster.kubeconfig()) as [admin]:

            async def left() -> list[str]:
                found = [each for kind in OBJECTS for each in await admin.list(kind, namespace)]
                return [each.metadata.name for each in found if "exp" in each.metadata.name]

            async def is_clean() -> bool:
                return not await left()

            await wait_for(is_clean)
        assert (await until(backend, busy.id, "running")).spec.project == namespace
