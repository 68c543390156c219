"""Datasets of a whole backend: what happens by itself, and what sessions keep."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.errors import InUse, NotAllowed
from jupyter_gpuquota.memory.backend import open_data, open_memory
from jupyter_gpuquota.memory.config import MemoryConfig
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.sessions import SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.objects import Objects
from tests.builders import NOW
from tests.contract.access_table import ADMIN
from tests.contract.backend_contract import PROJECTS
from tests.contract.data import lake_of, other, packed, publish, record, store
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    backend = open_memory(GpuQuota(projects=PROJECTS, admins=[ADMIN]), MemoryConfig(), tmp_path)
    await backend.resident.start()
    yield backend
    await backend.resident.close()


async def ended(backend: Backend, job: Job) -> Job:
    """Wait until a job has ended, and return it."""

    def found() -> Job | None:
        now = next(each for each in backend.jobs.all() if each.id == job.id)
        return None if now.active else now

    return await wait_for(found, f"{job.kind} never ended")


class Slow:
    """A lake that lists what it has after a moment."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def list(self, *asked: Any, **more: Any) -> AsyncIterator[Any]:
        await asyncio.sleep(0.05)
        async for each in self._real.list(*asked, **more):
            yield each


async def test_a_start_waits_for_lakes_that_answer_in_a_moment(backend: Backend) -> None:
    await publish(backend)
    data, _ = open_data(Board(), cast("Objects", Slow(lake_of(backend))))
    await data.start()
    assert [each.name for each in data.datasets.all()] == ["faces"]
    await data.close()


async def test_a_fetch_reads_and_hashes_everything(backend: Backend) -> None:
    version = await publish(backend)
    answer = await backend.caches.fetch(version, "owner")
    assert answer.job is not None
    same = await backend.caches.fetch(version, "member")
    assert same.job is None or same.job.id == answer.job.id
    done = await ended(backend, answer.job)
    assert (done.state, done.done, done.user) == ("done", version.size, "owner")
    await wait_for(lambda: backend.datasets.all()[0].cached == 1, "the list is not read anew")


async def test_a_fetch_of_a_damaged_version_fails(backend: Backend) -> None:
    version = await publish(backend)
    (pack,) = [each.key async for each in lake_of(backend).list(layout.PACKS)]
    await lake_of(backend).put(pack, b"rotten")
    answer = await backend.caches.fetch(version, "owner")
    assert answer.job is not None
    failed = await ended(backend, answer.job)
    assert (failed.state, failed.problem and failed.problem.code) == ("failed", "Damaged")
    assert backend.caches.all() == ()
    verified = await backend.jobs.verify(version, "owner", lake=True, cache=False)
    assert (await ended(backend, verified)).state == "failed"


async def test_what_no_version_needs_is_collected(backend: Backend) -> None:
    first, second = await publish(backend), await publish(backend, other())
    await backend.datasets.drop("faces", first.id)
    job = await ended(backend, await backend.jobs.collect("local", ADMIN, 0))
    assert job.state == "done"
    left = [each.key async for each in lake_of(backend).list(layout.MANIFESTS)]
    assert left == [layout.manifest(second.id)]


async def test_a_session_keeps_the_version_that_it_uses(backend: Backend) -> None:
    version = await publish(backend)
    request = SessionRequest(
        name="exp-1", project="team-c", data=("faces",), command=("sleep", "600")
    )
    session = await ask(backend, "sessions.create", "owner", body=request)
    assert [(each.dataset, each.version) for each in session.spec.data] == [("faces", version.id)]
    await until(backend, session.id, "running")
    (copy,) = backend.caches.all()
    assert (copy.state, [lease.name for lease in copy.leases]) == ("cached", ["exp-1"])
    assert backend.caches.room().evictable == 0
    for refused in (
        backend.caches.clear("faces", version.id),
        backend.datasets.drop("faces", version.id),
        backend.datasets.remove("faces"),
    ):
        with pytest.raises(InUse, match="exp-1"):
            await refused
    await ask(backend, "sessions.stop", "owner", args={"id": session.id})
    await until(backend, session.id, "stopped")
    await backend.datasets.remove("faces")
    assert backend.caches.all() == ()


async def test_a_members_own_lake_is_not_opened(backend: Backend) -> None:
    await backend.datasets.create(record(), "s3://of-a-member/lake")
    id_, body, _ = packed({"a": b"a"})
    version = await backend.datasets.add(Version(dataset="faces", id=id_, time=NOW), body)
    with pytest.raises(NotAllowed):
        await backend.caches.fetch(version, "owner")
    with pytest.raises(NotAllowed):
        await backend.jobs.verify(version, "owner", lake=True, cache=True)


async def test_a_version_that_nobody_reports_is_found_when_a_job_ends(backend: Backend) -> None:
    await publish(backend)
    new = await store(backend, other())
    job = await backend.jobs.collect("local", ADMIN, 3600)
    await ended(backend, job)

    def latest() -> bool:
        last = backend.datasets.all()[0].latest
        return last is not None and last.id == new.id

    await wait_for(latest, "the lake is not read anew")
