"""A team whose sessions read datasets of a lake, through a controller on a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_gpuquota.errors import NotAllowed, NotLoaded, Unavailable
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.model.datasets.caches import CachedVersion, CacheQuery
from jupyter_gpuquota.model.datasets.datasets import DatasetRequest
from jupyter_gpuquota.model.datasets.settings import DataSettings, DataSettingsRequest, LakeRequest
from jupyter_gpuquota.model.datasets.versions import Version, VersionReport
from jupyter_gpuquota.model.sessions import LogQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.cluster.lakes import ShellLake, claim, folder_lake
from tests.cluster.rbac import bind, bind_everywhere, connected, install
from tests.cluster.serving import serving
from tests.cluster.teams import Team
from tests.cluster.workloads import secret
from tests.fakes import ask
from tests.waiting import wait_for

ANA, ADMIN = "ana-of-data", "admin-of-data"


class Site:
    """A team's namespace with a claim, a lake, and a controller for the team."""

    def __init__(self, cluster: Any, namespace: str, folder: Path, lake: ShellLake) -> None:
        self.cluster = cluster
        self.namespace = namespace
        self.folder = folder
        self.lake = lake
        self.backend: Backend
        self.kubeconfig: Path = cluster.kubeconfig()

    @asynccontextmanager
    async def controller(self, **settings: Any) -> AsyncIterator[Backend]:
        """Run a controller; a further one is another after a restart."""
        config = KubernetesConfig(
            kubeconfig=str(self.kubeconfig),
            namespaces=[self.namespace],
            user_prefixes={"token": ""},
            **{
                "lease": f"{self.namespace}/controller",
                "dataset_claim": "datasets",
                "dataset_image": "any",
                "dataset_cpu": "10m",
                "dataset_memory": "64Mi",
                **settings,
            },
        )
        async with AsyncExitStack() as self._running:
            self._open = partial(serving, config, self.folder / "state")
            self.backend = await self._running.enter_async_context(self._open())
            yield self.backend

    async def restart(self) -> None:
        """Start the controller anew, as a service manager does after it has ended."""
        await self._running.aclose()
        self.backend = await self._running.enter_async_context(self._open())

    async def ask(self, route: str, who: str = ANA, **given: Any) -> Any:
        """Call a route's use case as somebody; what is not loaded yet is waited for."""
        while True:
            try:
                return await ask(self.backend, route, who, **given)
            except NotLoaded as error:
                await asyncio.sleep(error.wait)

    async def set_up(self) -> None:
        """Let the administrator name the lake, and ana make a dataset in it."""
        await self.name_lake()
        await wait_for(self.create)

    async def name_lake(self) -> None:
        """Let the administrator name the lake."""
        now = await wait_for(self._settings)
        lake = LakeRequest(name="main", url=self.lake.url, credentials="lake-keys")
        body = DataSettingsRequest(lakes=(lake,), revision=now.revision)
        await self.ask("lakes.put", ADMIN, body=body)

    async def _settings(self) -> DataSettings | None:
        """Return the settings once the API server knows who may see them."""
        try:
            found: DataSettings = await self.ask("lakes.settings", ADMIN)
        except NotAllowed:
            return None
        return found

    async def create(self) -> bool:
        """Create the dataset once the lake is open; return whether it is."""
        body = DatasetRequest(name="mnist", project=self.namespace)
        try:
            await self.ask("datasets.create", body=body)
        except Unavailable:
            return False
        return True

    async def sync(self, **files: bytes) -> Version:
        """Store files as the next version of the dataset, and report it."""
        version = await self.lake.sync("mnist", files)
        body = VersionReport(time=version.time, files=version.files, size=version.size)
        args = {"dataset": "mnist", "version": version.id}
        found: Version = await self.ask("versions.put", args=args, body=body)
        return found

    async def copies(self) -> tuple[CachedVersion, ...]:
        """Return what is cached."""
        found: tuple[CachedVersion, ...] = (await self.ask("caches.list", query=CacheQuery())).items
        return found

    async def launch(self, name: str, *command: str, **fields: Any) -> Any:
        """Request a session without a GPU that reads the dataset."""
        known = {"data": ("mnist@latest:/train",), "environment": "any", **fields}
        body = SessionRequest(name=name, project=self.namespace, command=command, **known)
        return await self.ask("sessions.create", body=body)


async def prepared(kubelet: Any, team: Team, folder: Path, lake: ShellLake | None = None) -> Site:
    """Give a team a claim, the Secret of the lake, a member and an administrator.

    Without a lake it is a new one in a folder. The Secret has the variables of the lake.
    """
    (folder / "home").mkdir(exist_ok=True)
    lake = lake or folder_lake(folder / "lake", folder / "home")
    keys = lake.variables or {"AWS_REGION": "us-east-1"}
    rest = kubelet.rest()
    await asyncio.to_thread(rest.create, claim(team.namespace))
    await asyncio.to_thread(rest.create, secret(team, "lake-keys", **keys))
    async with connected(kubelet.kubeconfig()) as [admin]:
        await install(admin)
        await bind(admin, team.namespace, "member", ANA)
        await bind_everywhere(admin, "admin", ADMIN)
    return Site(kubelet, team.namespace, folder, lake)


async def said(site: Site, session: str) -> str:
    """Return the log of a session."""
    chunk = await site.ask("sessions.log", args={"id": session}, query=LogQuery(tail=100))
    return str(chunk.text)
