"""The whole backend on a fake API server: what an administrator's controller for a team is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.kubernetes.backend import open_kubernetes
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.resources import NODES, RESOURCE_QUOTAS
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.kubernetes.fake_rbac import Rbac
from tests.kubernetes.gpu_nodes import whole as whole_gpus
from tests.waiting import wait_for

TEAM, ADMIN = "team-a", "admin"


def put_quota(api: FakeApi, gpus: int = 4, **annotations: str) -> None:
    """Limit the whole GPUs of the team's namespace."""
    meta = {"name": "gpus", "namespace": TEAM, "annotations": annotations}
    hard = {"requests.nvidia.com/gpu": str(gpus)}
    api.put(RESOURCE_QUOTAS, {"metadata": meta, "spec": {"hard": hard}, "status": {"hard": hard}})


def put_nodes(api: FakeApi, *nodes: Any) -> None:
    """Add nodes; by default one with eight whole GPUs, on which `FakeCluster` runs pods."""
    for node in nodes or (whole_gpus("node-1"),):
        api.put(NODES, msgspec.to_builtins(node))


@asynccontextmanager
async def opened(
    api: FakeApi, folder: Path, *, control: dict[str, Any] | None = None, **config: Any
) -> AsyncIterator[Backend]:
    """Run a backend; `control` are settings of `GpuQuota`, the others of `KubernetesConfig`."""

    rbac = Rbac()
    rbac.bind("member", "me", TEAM)
    rbac.bind("admin", ADMIN)
    rbac.install(api)

    async def connecting() -> Any:
        return api

    backend = open_kubernetes(
        GpuQuota(hosting="https", **(control or {})),
        KubernetesConfig(
            **{
                "namespaces": [TEAM],
                "reach": "service",
                "lease": f"{TEAM}/controller",
                "user_prefixes": {"token": ""},
                **config,
            }
        ),
        folder,
        connecting=connecting,
    )
    await backend.resident.start()
    try:
        yield backend
    finally:
        await backend.resident.close()


@asynccontextmanager
async def at_work(cluster: FakeCluster) -> AsyncIterator[None]:
    """Let controllers and kubelets work meanwhile."""

    async def work() -> None:
        while True:
            cluster.round()
            await asyncio.sleep(0.02)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(backend: Backend, name: str, holds: Callable[[Session], Any]) -> Session:
    """Wait until something is true of the session with a name, and return that."""

    def found() -> Session | None:
        named = (each for each in backend.sessions.all() if each.spec.name == name)
        return next((each for each in named if holds(each)), None)

    session: Session = await wait_for(found)
    return session
