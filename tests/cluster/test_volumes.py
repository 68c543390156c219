"""Claims as volumes on a real API server: who may do what, sessions that mount them, faults."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import (
    InvalidFields,
    NotAllowed,
    NotFound,
)
from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.model.volumes.volumes import (
    Volume,
    VolumeChange,
    VolumeList,
    VolumeQuery,
    VolumeRequest,
)
from jupyter_gpuquota.ports.backend import Backend
from tests.cluster.rbac import bind, connected, controller_kubeconfig
from tests.cluster.serving import serving
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
GIB = 2**30
PEOPLE = ("viewer", "member", "lead", "stranger")
ALLOWED = {
    "volumes.list": set(PEOPLE),
    "volumes.create": {"member", "lead"},
    "volumes.get": {"viewer", "member", "lead"},
    "volumes.change": {"member", "lead"},
    "volumes.delete": {"member", "lead"},
}
"""Who may do what with a volume of the member."""


class Site:
    """A team's namespace, people with roles in it, and a controller with a team's rights."""

    def __init__(self, namespace: str, folder: Path, admin: Api, kubeconfig: Path) -> None:
        self.namespace = namespace
        self.folder = folder
        self.admin = admin
        self.kubeconfig = kubeconfig
        self.backend: Backend

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
        return await self.backend.access.rights(Caller(_caller(self, who), known="token"))

    async def ask(self, route: str, who: str = "member", name: str = "", **given: Any) -> Any:
        """Call a route as a person, for a volume if one is named."""
        args = {"project": self.namespace, "volume": name} if name else {}
        return await ask(self.backend, route, _caller(self, who), args=args, **given)

    async def create(self, name: str, who: str = "member", **fields: Any) -> Volume:
        """Create a volume."""
        wanted = {"size": "1Gi", "mode": "RWX", **fields}
        body = VolumeRequest(name=name, project=self.namespace, **wanted)
        made: Volume = await self.ask("volumes.create", who, body=body)
        return made

    async def listed(self, who: str = "member") -> VolumeList:
        """Return what a person sees."""
        found: VolumeList = await self.ask("volumes.list", who, query=VolumeQuery())
        return found


def _caller(site: Site, who: str) -> str:
    """Return the account of a person, who has a role in this site only."""
    return f"{who}-{site.namespace}"


@pytest_asyncio.fixture
async def site(kubelet: Any, teams: Any, tmp_path: Path) -> AsyncIterator[Site]:
    """A team whose GPUs a ResourceQuota limits; the controller has the rights of the manifests."""
    hard = {"requests.nvidia.com/gpu": "4"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", hard, processes=True)
    async with connected(kubelet.kubeconfig()) as [admin]:
        kubeconfig = await controller_kubeconfig(admin, kubelet.kubeconfig(), tmp_path)
        account = {"kind": "ServiceAccount", "name": "controller", "namespace": "jupyter-gpuquota"}
        await bind(admin, team.namespace, "sessions", account)
        made = Site(team.namespace, tmp_path, admin, kubeconfig)
        for role in ("viewer", "member", "lead"):
            await bind(admin, team.namespace, role, _caller(made, role))
        yield made


async def test_every_route_for_every_role(site: Site):
    async with site.controller():
        wrong = []
        for route, allowed in ALLOWED.items():
            for n, who in enumerate(PEOPLE):
                name = f"{route.removeprefix('volumes.')}-{n}"
                await site.create(name)
                if (who in allowed) != await _is_granted(site, route, who, name):
                    wrong.append((route, who))
        assert wrong == []
        assert (await site.listed("stranger")).items == ()


async def _is_granted(site: Site, route: str, who: str, name: str) -> bool:
    bodies = {
        "volumes.create": VolumeRequest(name=f"{name}-x", project=site.namespace, size="1Gi"),
        "volumes.change": VolumeChange(description="scans"),
    }
    given: dict[str, Any] = {"body": bodies[route]} if route in bodies else {}
    if route == "volumes.list":
        given = {"query": VolumeQuery()}
    named = "" if route in {"volumes.create", "volumes.list"} else name
    try:
        await site.ask(route, who, named, **given)
    except (NotAllowed, NotFound, InvalidFields):
        return False
    return True


async def test_a_lead_lacks_what_the_cluster_withdraws(site: Site):
    async with site.controller():
        await site.create("data")
        lead = await site.ask("volumes.get", "lead", "data")
        assert set(lead.actions) == {"mount", "change", "delete"}
        other = await site.create("others", "lead")
        assert other.owner == _caller(site, "lead")
        member = await site.ask("volumes.get", "member", "others")
        assert set(member.actions) == {"mount"}
        with pytest.raises(NotAllowed):
            await site.ask("volumes.delete", "member", "others")
