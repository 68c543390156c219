"""A team whose people share volumes on a real API server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.model.sessions import Session, SessionRequest
from jupyter_gpuquota.model.volumes.volumes import Volume, VolumeList, VolumeQuery, VolumeRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.cluster.serving import serving
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

PEOPLE = ("viewer", "member", "lead", "stranger")


class Site:
    """A team's namespace, people with roles in it, and a controller with a team's rights."""

    def __init__(self, namespace: str, folder: Path, admin: Api, kubeconfig: Path) -> None:
        self.namespace = namespace
        self.folder = folder
        self.admin = admin
        self.kubeconfig = kubeconfig
        self.backend: Backend

    def account(self, who: str) -> str:
        """Return the account of a person, who has a role in this site only."""
        return f"{who}-{self.namespace}"

    @asynccontextmanager
    async def controller(self, **settings: Any) -> AsyncIterator[Site]:
        """Run a controller; a further one is another after a restart."""
        config = KubernetesConfig(
            kubeconfig=str(self.kubeconfig),
            namespaces=[self.namespace],
            user_prefixes={"token": ""},
            lease="jupyter-gpuquota/" + self.namespace,
            **settings,
        )
        async with serving(config, self.folder / "state") as self.backend:
            await wait_for(self.is_ready)
            yield self

    async def is_ready(self) -> bool:
        """Return whether the API server knows everyone's rights, and ours."""
        rights = [await self.rights(who) for who in PEOPLE]
        known = [dict(each.roles).get(self.namespace) for each in rights]
        return known == ["viewer", "member", "lead", None]

    async def rights(self, who: str) -> Any:
        """Return the rights of a person."""
        return await self.backend.access.rights(Caller(self.account(who), known="token"))

    async def ask(self, route: str, who: str = "member", name: str = "", **given: Any) -> Any:
        """Call a route as a person, for a volume if one is named."""
        args = {"project": self.namespace, "volume": name} if name else {}
        return await ask(self.backend, route, self.account(who), args=args, **given)

    async def create(self, name: str, who: str = "member", **fields: Any) -> Volume:
        """Create a volume."""
        wanted = {"size": "1Gi", "mode": "RWX", **fields}
        body = VolumeRequest(name=name, project=self.namespace, **wanted)
        made: Volume = await self.ask("volumes.create", who, body=body)
        return made

    async def ready(self, name: str, **fields: Any) -> Volume:
        """Create a volume, and wait until it is ready."""
        await self.create(name, **fields)
        return await self.volume_when(name, lambda volume: volume.state == "ready")

    async def listed(self, who: str = "member") -> VolumeList:
        """Return what a person sees."""
        found: VolumeList = await self.ask("volumes.list", who, query=VolumeQuery())
        return found

    async def volume(self, name: str) -> Volume:
        """Return a volume."""
        found: Volume = await self.ask("volumes.get", name=name)
        return found

    async def volume_when(self, name: str, is_so: Any) -> Volume:
        """Return a volume once it is as wanted."""

        last: Volume | None = None

        async def found() -> Volume | None:
            nonlocal last
            last = await self.volume(name)
            return last if is_so(last) else None

        volume = await wait_for(found, lambda: f"in the end it was {last}")
        assert isinstance(volume, Volume)
        return volume

    async def launch(
        self, name: str, script: str, *volumes: str, who: str = "member", gpu: str = ""
    ) -> Session:
        """Request a session, without a GPU by default."""
        body = SessionRequest(
            name=name,
            project=self.namespace,
            command=("sh", "-c", script),
            volumes=volumes,
            environment="any",
            gpu=gpu,
        )
        made: Session = await self.ask("sessions.create", who, body=body)
        return made

    async def run(
        self, name: str, script: str, *volumes: str, who: str = "member", gpu: str = ""
    ) -> Session:
        """Launch a session, and wait until it runs."""
        made = await self.launch(name, script, *volumes, who=who, gpu=gpu)
        return await until(self.backend, made.id, "running")

    async def stop(self, *sessions: Session) -> None:
        """Stop sessions, and wait until they have ended."""
        for session in sessions:
            await self.backend.sessions.stop(session.id)
            await until(self.backend, session.id, "stopped")
