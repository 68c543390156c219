"""Snapshots whose controller ends at one of their calls, and two at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.kubernetes.labels import COPY_READER
from jupyter_gpuquota.kubernetes.objects.storage import Claim
from jupyter_gpuquota.kubernetes.resources import CLAIMS, JOBS
from jupyter_gpuquota.kubernetes.snapshots.kinds import GROUPED
from jupyter_gpuquota.model.snapshots.snapshots import SnapshotRequest
from tests.cluster.data_sites import Site
from tests.cluster.proxy import FaultProxy, Rule
from tests.cluster.rbac import connected
from tests.cluster.snapshots import copies, finished, launch, snapshot_site, taken, volume
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

ONE, TWO = ("work",), ("work", "data")
JOB, CLAIM = r"/jobs\?", r"/persistentvolumeclaims\?(?!.*dryRun)"
SNAPSHOT, LABEL = ("POST", r"/volumesnapshots\?"), ("PATCH", r"/persistentvolumeclaims/")
GROUP = ("POST", r"/volumegroupsnapshots\?")
CALLS = [
    pytest.param(ONE, *SNAPSHOT, False, id="snapshot-before"),
    pytest.param(ONE, *SNAPSHOT, True, id="snapshot-after"),
    pytest.param(TWO, *LABEL, True, id="label-after"),
    pytest.param(TWO, *GROUP, True, id="group-after"),
]
"""The volumes of a session, a call of their snapshot, and whether it acts before the end."""


@pytest_asyncio.fixture
async def site(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    """A team whose sessions can be copied."""
    return await snapshot_site(kubelet, teams, tmp_path)


@pytest.fixture
def between(site: Site, tmp_path: Path) -> Iterator[FaultProxy]:
    """A proxy in front of the API server, with the rights of the controller."""
    with FaultProxy.running(site.kubeconfig, tmp_path) as proxy:
        yield proxy


def fault(method: str, path: str, *, lost: bool) -> Rule:
    """Return the rule by which calls fail: before the server acts, or after it."""
    return Rule(method=method, path=path, status=0 if lost else 503, lost=lost)


async def claims(site: Site) -> list[Claim]:
    async with connected(site.cluster.kubeconfig()) as [admin]:
        return list(await admin.list(CLAIMS, site.namespace))


@pytest.mark.parametrize(("names", "method", "path", "lost"), CALLS)
async def test_a_snapshot_is_taken_once_whatever_call_its_controller_ends_at(
    site: Site, between: FaultProxy, names: tuple[str, ...], method: str, path: str, *, lost: bool
) -> None:
    direct, site.kubeconfig = site.kubeconfig, between.kubeconfig
    async with site.controller():
        await site.set_up()
        for name in names:
            await volume(site, name)
        session = await launch(site, "exp", *(f"{name}:/{name}" for name in names))
        rule = between.add(fault(method, path, lost=lost))
        begun = await site.ask("snapshots.create", args={"id": session.id}, body=SnapshotRequest())
        await wait_for(lambda: rule.seen)
    site.kubeconfig = direct
    async with site.controller():
        found = await finished(site, begun)
        assert found.manifest
        # What programs in the pod say may be missing: the proxy passes no WebSocket on.
        assert not [each for each in found.manifest.problems if "volume" in each.part]
        assert {each.volume for each in found.manifest.volumes} == set(names)
        assert len(await copies(site)) == len(names)
        marks = [key for each in await claims(site) for key in each.metadata.labels]
        assert not [key for key in marks if key.startswith(GROUPED)]


@pytest.mark.parametrize(
    ("path", "lost"), [(JOB, True), (CLAIM, False), (CLAIM, True)], ids=["job", "claim", "filled"]
)
async def test_an_export_whose_controller_ends_leaves_nothing_to_the_next(
    site: Site, between: FaultProxy, path: str, *, lost: bool
) -> None:
    direct, site.kubeconfig = site.kubeconfig, between.kubeconfig
    async with site.controller():
        await site.set_up()
        await volume(site)
        session = await launch(site, "exp", "work:/work")
        args = {"snapshot": (await taken(site, session)).snapshot.id}
        before = {each.metadata.name for each in await claims(site)}
        between.add(fault("POST", path, lost=lost))
        # Nor does it remove anything: this is all that the cluster sees of a kill.
        between.add(fault("DELETE", r"/jobs/", lost=False))
        with pytest.raises(GpuQuotaError):
            await exported(site, args)
        assert await readers(site)
    site.kubeconfig = direct
    async with site.controller():
        await wait_for(lambda: nothing_is_read(site, before))
        assert b"model.txt" in await exported(site, args)
        await wait_for(lambda: nothing_is_read(site, before))


async def exported(site: Site, args: dict[str, str]) -> bytes:
    """Return the archive of a snapshot."""
    parts = [each.data async for each in await site.ask("snapshots.files", args=args)]
    return b"".join(parts)


async def readers(site: Site) -> set[str]:
    """Return the Jobs that read copies."""
    async with connected(site.cluster.kubeconfig()) as [admin]:
        return {each.metadata.name for each in await admin.list(JOBS, site.namespace, COPY_READER)}


async def nothing_is_read(site: Site, names: set[str]) -> bool:
    """Return whether no Job reads copies, and the only claims are those with these names."""
    there = {each.metadata.name for each in await claims(site)}
    return not await readers(site) and there == names


async def test_two_snapshots_at_once_have_copies_of_their_own(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        for name in TWO:
            await volume(site, name)
        first = await launch(site, "exp", "work:/work")
        second = await launch(site, "other", "data:/data")
        one, two = await asyncio.gather(taken(site, first), taken(site, second))
        handles = []
        for found, name in ((one, "work"), (two, "data")):
            assert found.snapshot.state == "ready"
            assert found.manifest
            [part] = found.manifest.volumes
            assert part.volume == name
            handles.append(part.handle.partition("/")[2])
        assert sorted(handles) == sorted(await copies(site))
        await site.ask("snapshots.delete", args={"snapshot": one.snapshot.id})
        assert await copies(site) == [handles[1]]
