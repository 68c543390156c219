"""A team whose sessions mount volumes of the test driver, and snapshots of these sessions.

The controller has the rights of `deploy/rbac.yaml`, and no others.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from jupyter_gpuquota.kubernetes.api import Api
from jupyter_gpuquota.kubernetes.resources import LEASES
from jupyter_gpuquota.kubernetes.snapshots.kinds import SNAPSHOTS
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.model.snapshots.restore import Restoration, RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import (
    Snapshot,
    SnapshotDetails,
    SnapshotQuery,
    SnapshotRequest,
)
from scripts.cluster.setup import wait_for as wait_for_cluster
from tests.cluster.data_sites import Site, prepared
from tests.cluster.rbac import ACCOUNT, bind, connected, controller_kubeconfig, settled
from tests.cluster.storage import claim, path_of
from tests.cluster.teams import Team
from tests.contract.helpers import until
from tests.waiting import wait_for


async def snapshot_site(kubelet: Any, teams: Any, folder: Path) -> Site:
    """Return a team whose controller has its own account."""
    hard = {"requests.nvidia.com/gpu": "4"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", hard, processes=True)
    site = await prepared(kubelet, team, folder)
    async with connected(kubelet.kubeconfig()) as [admin]:
        site.kubeconfig = await controller_kubeconfig(admin, kubelet.kubeconfig(), folder)
        for role in ("sessions", "lease"):
            await bind(admin, site.namespace, role, ACCOUNT)
    async with connected(site.kubeconfig) as [own]:
        await settled(lambda: _may_list(own, site.namespace))
        free = {"metadata": {"name": "controller"}, "spec": {"leaseDurationSeconds": 1}}
        await settled(lambda: own.create(LEASES, site.namespace, free))
    return site


async def _may_list(api: Api, namespace: str) -> bool:
    await api.list(SNAPSHOTS, namespace)
    return True


async def volume(site: Site, name: str = "work", **options: Any) -> Path:
    """Create a volume with a file; return its folder."""
    team = Team(site.namespace, "team-a")
    rest, made = site.cluster.rest(), claim(team, name, **options)

    def make() -> None:
        rest.create(made)
        wait_for_cluster(lambda: rest.get(path_of(made))["status"]["phase"] == "Bound", "bound")

    await asyncio.to_thread(make)
    folder = site.cluster.claim(site.namespace, name)
    (folder / "model.txt").write_text("first")
    return folder


async def launch(site: Site, name: str, *volumes: str) -> Any:
    """Launch a session that mounts volumes, and wait until it runs."""
    body = SessionRequest(
        name=name,
        project=site.namespace,
        command=("sleep", "600"),
        environment="any",
        volumes=volumes,
    )
    made = await site.ask("sessions.create", body=body)
    return await until(site.backend, made.id, "running")


async def taken(site: Site, session: Any, **fields: Any) -> SnapshotDetails:
    """Take a snapshot, and return it with its manifest once it is there."""
    body = SnapshotRequest(note="why", tags=("best",), **fields)
    begun: Snapshot = await site.ask("snapshots.create", args={"id": session.id}, body=body)
    return await finished(site, begun)


async def finished(site: Site, begun: Snapshot) -> SnapshotDetails:
    """Return a snapshot that was begun, with its manifest."""

    async def there() -> SnapshotDetails | None:
        if site.backend.resident.ended():  # on a machine that is too busy to renew the lease
            await site.restart()
        for each in (await site.ask("snapshots.list", query=SnapshotQuery())).items:
            if (each.created, each.session) != (begun.created, begun.session):
                continue
            assert each.state != "failed", each.problem
            if each.state != "making":
                found: SnapshotDetails = await site.ask("snapshots.get", args={"snapshot": each.id})
                return found
        return None

    found: SnapshotDetails = await wait_for(there)
    return found


async def restored(site: Site, snapshot: str, **fields: Any) -> Restoration:
    """Restore a snapshot, and return how that ended."""
    return await end_of(site, await begun_restore(site, snapshot, **fields))


async def begun_restore(site: Site, snapshot: str, **fields: Any) -> Restoration:
    """Begin to restore a snapshot."""
    args, body = {"snapshot": snapshot}, RestoreRequest(**fields)
    begun: Restoration = await site.ask("snapshots.restore", args=args, body=body)
    return begun


async def end_of(site: Site, begun: Restoration) -> Restoration:
    """Return a restore that was begun, once it has ended."""

    async def ended() -> Restoration | None:
        if site.backend.resident.ended():  # on a machine that is too busy to renew the lease
            await site.restart()
        listed = (await site.ask("snapshots.restores")).items
        return next((each for each in listed if each.id == begun.id and not each.active), None)

    found: Restoration = await wait_for(ended)
    return found


async def copies(site: Site) -> list[str]:
    """Return the names of all copies in the namespace."""
    async with connected(site.cluster.kubeconfig()) as [admin]:
        return [each.metadata.name for each in await admin.list(SNAPSHOTS, site.namespace)]


async def depose(site: Site) -> None:
    """Let another controller have had the lease for a moment."""
    spec = {"holderIdentity": "another", "leaseDurationSeconds": 1}
    async with connected(site.cluster.kubeconfig()) as [admin]:
        await admin.patch(LEASES, site.namespace, "controller", {"spec": spec})
    await wait_for(site.backend.resident.ended)
    await asyncio.sleep(1.0)  # what it does wrongly it does at once
