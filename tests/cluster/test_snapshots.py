"""Snapshots of sessions in pods, through the whole backend and the real snapshot-controller."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import InvalidFields, NotFound, Unsupported
from jupyter_gpuquota.kubernetes.resources import CLAIMS, LEASES
from jupyter_gpuquota.kubernetes.snapshots.kinds import SNAPSHOTS
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.model.snapshots.restore import Restoration, RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import (
    Snapshot,
    SnapshotDetails,
    SnapshotFolder,
    SnapshotQuery,
    SnapshotRequest,
)
from scripts.cluster.setup import wait_for as wait_for_cluster
from scripts.cluster.storage import faults
from tests.cluster.data_sites import Site, prepared
from tests.cluster.rbac import connected
from tests.cluster.storage import claim, path_of
from tests.cluster.teams import Team
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def site(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    """A team with a volume of the test driver."""
    hard = {"requests.nvidia.com/gpu": "4"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", hard, processes=True)
    return await prepared(kubelet, team, tmp_path)


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
    args, body = {"snapshot": snapshot}, RestoreRequest(**fields)
    begun = await site.ask("snapshots.restore", args=args, body=body)

    async def ended() -> Restoration | None:
        found: Restoration = await site.ask("snapshots.restoration", args={"restore": begun.id})
        return None if found.active else found

    found: Restoration = await wait_for(ended)
    return found


async def test_a_session_is_copied_and_restored_beside_the_original(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        folder = await volume(site)
        session = await launch(site, "exp", "work:/work")
        found = await taken(site, session, metrics={"loss": 0.5})
        assert found.snapshot.state == "ready"
        assert found.manifest is not None
        [part] = found.manifest.volumes
        assert (part.volume, part.path, part.provider) == ("work", "/work", "csi")
        assert (part.mechanism, part.consistency) == ("instant", "crash")
        (folder / "model.txt").write_text("second")
        back = await restored(site, found.snapshot.id, name="again")
        assert back.state == "done", back.problem
        again = await until(site.backend, back.session, "running")
        [mount] = again.spec.mounts
        assert mount.volume != "work"
        content = site.cluster.claim(site.namespace, mount.volume) / "model.txt"
        assert content.read_text() == "first"
        assert (folder / "model.txt").read_text() == "second"
        listed = (await site.ask("snapshots.list", query=SnapshotQuery())).items
        assert [each.id for each in listed] == [found.snapshot.id]


async def test_several_volumes_are_of_one_moment_and_go_together(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        await volume(site, "work")
        await volume(site, "data")
        session = await launch(site, "exp", "work:/work", "data:/data")
        found = await taken(site, session)
        assert found.manifest is not None
        assert {each.provider for each in found.manifest.volumes} == {"csi-group/v1beta2"}
        assert found.snapshot.consistency == "crash"
        job = await site.ask("snapshots.verify", args={"snapshot": found.snapshot.id})
        assert job.state == "done"
        with pytest.raises(Unsupported, match="in volumes of the cluster"):
            await site.ask(
                "snapshots.export",
                args={"snapshot": found.snapshot.id},
                body=SnapshotFolder(folder="/tmp/x"),  # noqa: S108 (never made)
            )
        await site.ask("snapshots.delete", args={"snapshot": found.snapshot.id})
        assert await copies(site) == []
        with pytest.raises(NotFound):
            await site.ask("snapshots.get", args={"snapshot": found.snapshot.id})


async def test_what_fails_leaves_the_rest_and_is_named(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        await volume(site, "work")
        await volume(site, "data", annotations={faults.annotation("snapshot"): faults.FAIL})
        session = await launch(site, "exp", "work:/work", "data:/data")
        found = await taken(site, session)
        assert found.snapshot.state == "partial"
        assert found.manifest is not None
        assert [each.volume for each in found.manifest.volumes] == ["work"]
        [problem] = [each for each in found.manifest.problems if each.part == "volume:data"]
        assert faults.FAILURE in problem.message


async def test_what_is_in_the_way_of_a_restore_is_in_its_plan(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        await volume(site)
        session = await launch(site, "exp", "work:/work")
        found = await taken(site, session)
        args = {"snapshot": found.snapshot.id}
        plan = await site.ask("snapshots.plan", args=args, body=RestoreRequest(name="again"))
        assert plan.problems == ()
        assert [each.partition("=")[0] for each in plan.claims] == ["work"]
        for each in await copies(site):
            async with connected(site.cluster.kubeconfig()) as [admin]:
                await admin.delete(SNAPSHOTS, site.namespace, each)
        plan = await site.ask("snapshots.plan", args=args, body=RestoreRequest(name="again"))
        assert any("was deleted from the cluster" in each.message for each in plan.problems)
        with pytest.raises(InvalidFields):
            await site.ask("snapshots.restore", args=args, body=RestoreRequest(name="again"))
        async with connected(site.cluster.kubeconfig()) as [admin]:
            names = {each.metadata.name for each in await admin.list(CLAIMS, site.namespace)}
        assert names == {"datasets", "work"}


@pytest.mark.parametrize("way", ["closed", "deposed"])
async def test_another_controller_goes_on_with_a_snapshot_that_was_begun(
    site: Site, way: str
) -> None:
    async with site.controller():
        await site.set_up()
        await volume(site, annotations={faults.annotation("snapshot"): "4"})
        session = await launch(site, "exp", "work:/work")
        begun = await site.ask("snapshots.create", args={"id": session.id}, body=SnapshotRequest())
        await wait_for(lambda: copies(site))
        if way == "deposed":
            await depose(site)
    async with site.controller():
        found = await finished(site, begun)
        assert found.snapshot.state == "ready"
        assert len(await copies(site)) == 1


async def depose(site: Site) -> None:
    """Let another controller have had the lease for a moment."""
    spec = {"holderIdentity": "another", "leaseDurationSeconds": 1}
    async with connected(site.cluster.kubeconfig()) as [admin]:
        await admin.patch(LEASES, site.namespace, "controller", {"spec": spec})
    await wait_for(site.backend.resident.ended)
    await asyncio.sleep(1.0)  # what it does wrongly it does at once


async def copies(site: Site) -> list[str]:
    """Return the names of all copies in the namespace."""
    async with connected(site.cluster.kubeconfig()) as [admin]:
        return [each.metadata.name for each in await admin.list(SNAPSHOTS, site.namespace)]
