"""Snapshots of sessions in pods, through the whole backend and the real snapshot-controller."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from jupyter_gpuquota.client.snapshots.export import unpacked
from jupyter_gpuquota.errors import InvalidFields, NotFound, Unsupported
from jupyter_gpuquota.kubernetes.labels import COPY_READER
from jupyter_gpuquota.kubernetes.resources import CLAIMS, JOBS
from jupyter_gpuquota.kubernetes.snapshots.kinds import SNAPSHOTS
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.snapshots.comparison import SnapshotCompareQuery
from jupyter_gpuquota.model.snapshots.restore import Original, RestoreRequest
from jupyter_gpuquota.model.snapshots.snapshots import (
    SnapshotFolder,
    SnapshotQuery,
    SnapshotRequest,
)
from scripts.cluster.storage import faults
from tests.cluster.data_sites import Site
from tests.cluster.rbac import connected
from tests.cluster.snapshots import (
    copies,
    depose,
    finished,
    launch,
    restored,
    snapshot_site,
    taken,
    volume,
)
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def site(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    """A team whose sessions can be copied."""
    return await snapshot_site(kubelet, teams, tmp_path)


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


class Arrived:
    """The answers of a route that have all come."""

    def __init__(self, parts: list[Any]) -> None:
        self._parts = iter(parts)

    def next(self) -> Any:
        return next(self._parts)

    def close(self) -> None:
        return None


async def test_several_volumes_are_of_one_moment_and_go_together(
    site: Site, tmp_path: Path
) -> None:
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
        assert job.state == "done", job.problem
        args, folder = {"snapshot": found.snapshot.id}, tmp_path / "exported"
        body = SnapshotFolder(folder=str(folder))
        with pytest.raises(Unsupported, match="in volumes of the cluster"):
            await site.ask("snapshots.export", args=args, body=body)
        parts = [each async for each in await site.ask("snapshots.files", args=args)]
        await asyncio.to_thread(unpacked, cast("Any", Arrived(parts)), folder)
        texts = {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*.txt")}
        assert texts == {"work/model.txt": "first", "data/model.txt": "first"}
        leaving = await site.ask("snapshots.files", args=args)
        while not (await anext(leaving)).data:
            pass
        await leaving.aclose()
        await wait_for(lambda: nothing_is_read(site, "data"))
        await site.ask("snapshots.delete", args={"snapshot": found.snapshot.id})
        assert await copies(site) == []
        with pytest.raises(NotFound):
            await site.ask("snapshots.get", args={"snapshot": found.snapshot.id})


async def test_manifests_and_copies_are_verified_and_manifests_compared(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        folder = await volume(site)
        session = await launch(site, "exp", "work:/work")
        one = (await taken(site, session, metrics={"loss": 0.5})).snapshot
        (folder / "model.txt").write_text("second")
        two = (await taken(site, session, metrics={"loss": 0.25})).snapshot
        query = SnapshotCompareQuery(other=two.id)
        found = await site.ask("snapshots.compare", args={"snapshot": one.id}, query=query)
        [metric] = found.metrics
        assert (metric.name, metric.before, metric.after) == ("loss", "0.5", "0.25")
        assert [each.name for each in found.volumes] == ["work"]
        [note] = found.problems
        assert "the files in volumes and the cells of notebooks are not compared" in note
        job = await site.ask("snapshots.verify", args={"snapshot": one.id})
        assert job.state == "done", job.problem
        assert "their files were not read" in job.reason
        await wait_for(lambda: nothing_is_read(site))
        async with connected(site.cluster.kubeconfig()) as [admin]:
            for each in await copies(site):
                await admin.delete(SNAPSHOTS, site.namespace, each)
        job = await site.ask("snapshots.verify", args={"snapshot": one.id})
        assert (job.state, job.findings) == ("failed", ("volume:work",))


async def nothing_is_read(site: Site, *others: str) -> bool:
    """Return whether no Job reads copies, and no claim is left of one."""
    async with connected(site.cluster.kubeconfig()) as [admin]:
        jobs = await admin.list(JOBS, site.namespace, COPY_READER)
        claims = {each.metadata.name for each in await admin.list(CLAIMS, site.namespace)}
    return not jobs and claims == {"datasets", "work", *others}


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
        assert plan.original == Original(name="exp")
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
    async with site.controller(allowed_images=["other:*"]):  # the session's image is so no more

        async def read() -> Any:
            try:
                body = RestoreRequest(name="again")
                return await site.ask("snapshots.plan", args=args, body=body)
            except NotFound:  # its lake is not read yet
                return None

        plan = await wait_for(read)
        [image] = [each for each in plan.problems if each.field == "environment"]
        assert "any" in image.message


WRITE = """
from jupyter_gpuquota.client.snapshots.variables import dump
values = {"weights": list(range(200_000)), "api_token": "hunter-22222", "lr": "0.1"}
print("dump", dump(values).file)
"""
READ = """
import jupyter_gpuquota
print({name: len(value) for name, value in jupyter_gpuquota.variables().items()})
"""


async def test_variables_are_taken_from_a_pod_and_brought_into_another(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        await volume(site)
        session = await launch(site, "exp", "work:/work")

        async def said(session_id: str, program: str) -> str:
            body = ExecRequest(command=(sys.executable, "-c", program), timeout=200)
            found = await site.ask("sessions.exec", args={"id": session_id}, body=body)
            assert found.exit_code == 0, found.output
            return str(found.output)

        dump = (await said(session.id, WRITE)).split()[-1]
        names = ("weights", "api_token")
        found = await taken(site, session, variables=names, dump=dump)
        assert found.manifest
        assert found.manifest.kernel
        assert "weights" in found.manifest.kernel.names
        [secret] = found.manifest.kernel.skipped
        assert (secret.name, "by its name" in secret.reason) == ("api_token", True)
        back = await restored(site, found.snapshot.id, name="again", variables=True)
        assert back.state == "done", back.problem
        assert "'weights': 200000" in await said(back.session, READ)


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
