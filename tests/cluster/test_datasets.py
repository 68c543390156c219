"""Datasets through the whole backend: stored from a shell, cached by Jobs, read in sessions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.errors import Conflict, InUse, NotAllowed, NotFound
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS
from jupyter_gpuquota.model.datasets.caches import CacheQuery, PinRequest
from jupyter_gpuquota.model.datasets.datasets import DatasetRequest
from jupyter_gpuquota.model.datasets.jobs import Job, JobQuery, JobReport
from jupyter_gpuquota.model.datasets.versions import VersionReport
from tests.cluster.data_sites import ANA, Site, prepared, said
from tests.cluster.rbac import connected
from tests.cluster.teams import make_priorities
from tests.contract.data import packed
from tests.contract.helpers import until
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def site(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    """A team whose GPUs a ResourceQuota limits."""
    hard = {"requests.nvidia.com/gpu": "4"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", hard, processes=True)
    return await prepared(kubelet, team, tmp_path)


@pytest_asyncio.fixture
async def queued(kubelet: Any, teams: Any, tmp_path: Path) -> Site:
    """A team with a queue of Kueue."""
    await asyncio.to_thread(make_priorities, kubelet.rest())
    team = await asyncio.to_thread(teams.with_kueue, "team-a", 4000, processes=True)
    return await prepared(kubelet, team, tmp_path)


async def test_a_session_waits_for_its_dataset_and_reads_it(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        version = await site.sync(a=b"one")
        script = "cat /train/a; echo; cat $GPUQUOTA_DATASETS/mnist/a; echo; sleep 99"
        made = await site.launch("exp-1", "sh", "-c", script)
        assert made.spec.data[0].version == version.id
        waiting = await until(
            site.backend, made.id, lambda s: s.reason and s.reason.code == "DataPending"
        )
        assert waiting.state == "waiting"
        running = await until(site.backend, made.id, "running")
        assert running.reason is None

        async def read() -> bool:
            return (await said(site, made.id)).split() == ["one", "one"]

        await wait_for(read)
        [copy] = await site.copies()
        assert [(lease.project, lease.name) for lease in copy.leases] == [(site.namespace, "exp-1")]
        args = {"dataset": "mnist", "version": "latest"}
        with pytest.raises(InUse, match="exp-1"):
            await site.ask("caches.delete", args=args)
        await site.ask("sessions.stop", args={"id": made.id})
        await until(site.backend, made.id, "stopped")
        await site.ask("caches.delete", args=args)
        await wait_for(lambda: _is_empty(site))

        seen: list[Job] = []

        async def ended() -> bool:
            seen[:] = (await site.ask("jobs.list", query=JobQuery())).items
            return {("cache", "done"), ("evict", "done")} <= {(j.kind, j.state) for j in seen}

        await wait_for(ended, lambda: f"the jobs, as last seen: {seen}")


async def _is_empty(site: Site) -> bool:
    return not await site.copies()


async def test_a_training_holds_no_quota_before_its_dataset_is_there(queued: Site) -> None:
    site = queued
    async with site.controller(dataset_image="slow.test/x", engine="kueue") as backend:
        await site.set_up()
        await site.sync(a=b"one")
        made = await site.launch(
            "train-1", "cat", "/train/a", kind="train", cpu="100m", memory="100Mi"
        )
        await until(backend, made.id, lambda s: s.reason and s.reason.code == "DataPending")
        async with connected(site.cluster.kubeconfig()) as [admin]:
            pods = [p for p in await admin.list(PODS, site.namespace) if "gpu-train" in p.key[1]]
            assert not pods
        await until(backend, made.id, "done")


async def test_a_stopped_session_cancels_the_fetch_of_what_only_it_wants(site: Site) -> None:
    async with site.controller(dataset_image="missing.test/x") as backend:
        await site.set_up()
        await site.sync(a=b"one")
        made = await site.launch("exp-1", "sleep", "99")
        await until(backend, made.id, lambda s: s.reason and s.reason.code == "DataPending")

        async def fetches() -> list[str]:
            jobs = (await site.ask("jobs.list", query=JobQuery())).items
            return [job.state for job in jobs if job.kind == "cache"]

        await wait_for(fetches)
        await site.ask("sessions.stop", args={"id": made.id})
        await until(backend, made.id, "stopped")

        async def cancelled() -> bool:
            return await fetches() == ["cancelled"]

        await wait_for(cancelled)


async def test_pins_and_copies_are_known_after_a_restart(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        await site.sync(a=b"one")
        args = {"dataset": "mnist", "version": "latest"}
        await site.ask("caches.create", args=args)

        async def cached() -> bool:
            return [copy.state for copy in await site.copies()] == ["cached"]

        await wait_for(cached)
        await site.ask("caches.pin", args=args, body=PinRequest(why="exam"))
    async with connected(site.cluster.kubeconfig()) as [admin]:
        for job in await admin.list(JOBS, site.namespace):
            await admin.delete(JOBS, *job.key)
    async with site.controller():
        await wait_for(cached)
        [copy] = await site.copies()
        assert [(pin.user, pin.why) for pin in copy.pins] == [(ANA, "exam")]
        room = (await site.ask("caches.list", query=CacheQuery())).room
        assert room.capacity == 2**30
        assert room.evictable == 0


async def test_other_projects_do_not_see_it(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        await site.sync(a=b"one")
        with pytest.raises((NotFound, Conflict)):
            await site.ask(
                "datasets.get", "bob-of-data", args={"dataset": "mnist", "version": "latest"}
            )


async def test_a_members_own_lake_is_not_cached_and_it_is_said_what_to_do(site: Site) -> None:
    async with site.controller():
        await site.set_up()
        version = await site.lake.sync("faces", {"a": b"one"})
        body = DatasetRequest(name="faces", project=site.namespace, lake="s3://anas/lake")
        await site.ask("datasets.create", body=body)
        manifest = packed({"a": b"one"})[1]
        told = VersionReport(time=version.time, manifest=manifest)
        args = {"dataset": "faces", "version": version.id}
        await site.ask("versions.put", args=args, body=told)
        with pytest.raises(NotAllowed, match="The cache of a cluster") as refused:
            await site.ask("caches.create", args=args)
        assert "sync that folder to a dataset in a lake of the administrators" in refused.value.hint
        # The shell and the panel start a process, which asks whether it may begin.
        report = JobReport(kind="cache", dataset="faces", version=version.id, state="waiting")
        job = await site.ask("jobs.report", args={"job": "j1"}, body=report)
        assert job.state == "failed"
        assert job.problem.hint == refused.value.hint
        made = await site.launch("exp-1", "sleep", "99", data=("faces@latest",))

        async def says_why() -> bool:
            found = await site.ask("sessions.get", args={"id": made.id})
            return found.reason is not None and "own lake" in found.reason.message

        await wait_for(says_why)
