"""What every backend with datasets promises of cached versions and of jobs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jupyter_gpuquota.errors import InUse, NotFound, WrongState
from jupyter_gpuquota.model.datasets.caches import Pin
from jupyter_gpuquota.model.datasets.jobs import Job, JobReport, JobState
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.data import cache, publish
from tests.contract.datasets_contract import datasets_of
from tests.contract.helpers import able
from tests.waiting import wait_for

LATER = datetime.now(UTC) + timedelta(days=1)


async def report(backend: Backend, job: str, state: JobState = "running", **facts: object) -> Job:
    """Report as the process of a sync of `owner`."""
    told = JobReport(**{"kind": "sync", "dataset": "faces", "state": state, **facts})
    return await backend.jobs.report(job, told, "owner")


async def turn(backend: Backend, job: str) -> None:
    """Ask for a turn until the job may begin."""

    async def running() -> bool:
        return (await report(backend, job, "waiting")).state == "running"

    await wait_for(running, f"{job} never had its turn")


async def empty(backend: Backend) -> None:
    """Wait until nothing is cached: some backends remove copies in the background."""
    await wait_for(lambda: backend.caches.all() == (), "a copy is left")


class CachesContract:
    """The contract of the port `Caches`."""

    async def test_a_cached_version_is_listed_with_its_room(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        version = await publish(backend)
        assert backend.caches.all() == ()
        await cache(backend, version)
        (found,) = backend.caches.all()
        assert (found.dataset, found.version, found.state) == ("faces", version.id, "cached")
        assert (found.size, found.files, found.leases) == (version.size, version.files, ())
        room = backend.caches.room()
        assert (room.used, room.committed, room.evictable) == (version.size,) * 3
        assert room.capacity >= version.size
        (seen,) = await datasets.versions("faces")
        assert seen.copy is not None
        assert seen.copy.state == "cached"
        assert (await datasets.contents.content(seen, "a.txt", 0)).data == b"alpha\n"
        assert datasets.all()[0].cached == 1

    async def test_a_pin_keeps_a_copy_until_it_is_removed(self, backend: Backend) -> None:
        datasets, caches = datasets_of(backend), backend.caches
        version = await publish(backend)
        with pytest.raises(NotFound):
            await caches.pin("faces", version.id, Pin(user="me"))
        await cache(backend, version)
        await caches.pin("faces", version.id, Pin(user="me", why="paper", until=LATER))
        pinned = await caches.pin("faces", version.id, Pin(user="you"))
        assert {pin.user: pin.why for pin in pinned.pins} == {"me": "paper", "you": ""}
        assert caches.room().evictable == 0
        for refused in (
            caches.clear("faces", version.id),
            datasets.drop("faces", version.id),
            datasets.remove("faces"),
        ):
            with pytest.raises(InUse, match=r"me.*you"):
                await refused
        await caches.unpin("faces", version.id, "me")
        with pytest.raises(NotFound):
            await caches.unpin("faces", version.id, "me")
        await caches.unpin("faces", version.id, "you")
        await caches.clear("faces", version.id)
        await empty(backend)
        with pytest.raises(NotFound):
            await caches.clear("faces", version.id)

    async def test_a_version_that_is_removed_takes_its_copy_along(self, backend: Backend) -> None:
        datasets = datasets_of(backend)
        version = await publish(backend)
        await cache(backend, version)
        await datasets.drop("faces", version.id)
        assert await datasets.versions("faces") == ()
        await empty(backend)


class DataJobsContract:
    """The contract of the port `Jobs`."""

    async def test_a_job_is_known_by_its_reports(self, backend: Backend) -> None:
        jobs = able(backend, "jobs")
        before = backend.changes.revision("jobs")
        job = await report(backend, "one", done=10, size=100, files=1, all_files=10, folder="/f")
        assert (job.state, job.done, job.size, job.user, job.folder) == (
            "running",
            10,
            100,
            "owner",
            "/f",
        )
        assert backend.changes.revision("jobs") != before
        assert jobs.all() == (job,)
        ended = await report(backend, "one", "done", done=100, size=100)
        assert (ended.state, ended.active) == ("done", False)
        # A report that was delayed changes nothing.
        assert (await report(backend, "one", "running", done=50)).state == "done"

    async def test_one_sync_of_a_dataset_runs_at_a_time(self, backend: Backend) -> None:
        able(backend, "jobs")
        await turn(backend, "first")
        second = await report(backend, "second", "waiting")
        third = await report(backend, "third", "waiting")
        assert (second.state, third.state) == ("waiting", "waiting")
        assert "owner" in second.reason
        assert (await report(backend, "other", "waiting", dataset="cats")).state == "running"
        await report(backend, "first", "done")
        assert (await report(backend, "third", "waiting")).state == "waiting"
        assert (await report(backend, "second", "waiting")).state == "running"
        await report(backend, "second", "failed")
        assert (await report(backend, "third", "waiting")).state == "running"

    async def test_a_job_is_cancelled_by_its_next_report(self, backend: Backend) -> None:
        jobs = able(backend, "jobs")
        await report(backend, "one")
        assert (await jobs.cancel("one")).cancelling
        assert (await report(backend, "one")).cancelling
        assert (await report(backend, "one", "cancelled")).state == "cancelled"
        with pytest.raises(WrongState):
            await jobs.cancel("one")
        with pytest.raises(NotFound):
            await jobs.cancel("two")

    async def test_a_fetch_is_planned_with_the_size_of_its_version(self, backend: Backend) -> None:
        datasets_of(backend)
        version = await publish(backend)
        for unknown in ("", "latest", "0" * 64):
            with pytest.raises(NotFound):
                await report(backend, "one", "waiting", kind="cache", version=unknown)
        facts = {"kind": "cache", "version": version.id, "size": 1}

        async def planned() -> Job | None:
            job = await report(backend, "one", "waiting", **facts)
            return job if job.state == "running" else None

        job = await wait_for(planned, "the fetch never began")
        assert (job.size, job.all_files) == (version.size, version.files)
        (coming,) = backend.caches.all()
        assert (coming.state, coming.size) == ("fetching", version.size)
        assert backend.caches.room().committed == version.size
        await report(backend, "one", "failed", **facts)
        assert backend.caches.all() == ()
