"""Cached versions on claims: planned, fetched once, removed, pinned; on a fake API server."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from jupyter_gpuquota.errors import Conflict, InUse, NotAllowed, NotFound, WrongState
from jupyter_gpuquota.kubernetes.datasets.marks import Marks
from jupyter_gpuquota.kubernetes.datasets.project_caches import ProjectCache, Running
from jupyter_gpuquota.kubernetes.datasets.work import new_task
from jupyter_gpuquota.kubernetes.resources import JOBS
from jupyter_gpuquota.model.datasets.caches import Lease, Pin
from jupyter_gpuquota.model.struct import Problem
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_claims import (
    CLAIM,
    GIB,
    NOW,
    OTHER,
    TEAM,
    Volumes,
    controller,
    put_claim,
    version,
)
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio
ONE, TWO = version(), version(digit="b")
COPY = (ONE.dataset, ONE.id)
LEASE = Lease(session="s1", name="team-a/exp-1", since=NOW)


def jobs_of(api: FakeApi, verb: str) -> list[str]:
    found = [raw["metadata"]["name"] for raw in api.all(JOBS)]
    return [name for name in found if name.startswith(f"gpuquota-{verb}-")]


async def test_a_version_is_fetched_once(api: FakeApi, volumes: Volumes) -> None:
    async with controller(api) as found:
        first = await found.caches.fetch(ONE, "ana")
        second = await found.caches.fetch(ONE, "bob")
        assert first.job
        assert second.job
        assert first.job.id == second.job.id
        await wait_for(lambda: [each.state for each in found.caches.all()] == ["cached"])
        [job] = await wait_for(lambda: [j for j in found.registry.of("cache") if not j.active])
        assert (job.state, job.user, job.done) == ("done", "ana", GIB)
        third = await found.caches.fetch(ONE, "ana")
        assert third.job is None
        assert third.copy
        assert len(jobs_of(api, "cache")) == 1
        assert found.caches.room().used == GIB


async def test_progress_is_shown_meanwhile(api: FakeApi, volumes: Volumes) -> None:
    volumes.held.add("cache")
    async with controller(api) as found:
        await found.caches.fetch(ONE, "ana")
        await wait_for(lambda: [(e.state, e.done) for e in found.caches.all()] != [])
        await wait_for(lambda: found.caches.all()[0].done == GIB // 2)
        assert found.caches.all()[0].state == "fetching"
        assert found.caches.room().committed == GIB


async def test_a_restarted_controller_knows_what_is_there_and_goes_on(
    api: FakeApi, volumes: Volumes
) -> None:
    async with controller(api) as found:
        await found.caches.fetch(ONE, "ana")
        await wait_for(lambda: volumes.has(ONE))
    volumes.held.add("cache")
    async with controller(api) as found:
        await wait_for(lambda: [each.state for each in found.caches.all()] == ["cached"])
        await found.caches.fetch(TWO, "ana")
        await wait_for(lambda: len(jobs_of(api, "cache")) == 2)
    async with controller(api) as found:
        await wait_for(
            lambda: [each.state for each in found.caches.all()] == ["cached", "fetching"]
        )
        volumes.held.clear()
        await wait_for(lambda: [e.state for e in found.caches.all()] == ["cached", "cached"])


async def test_what_is_used_least_goes_for_what_is_fetched(api: FakeApi, volumes: Volumes) -> None:
    put_claim(api, size="2Gi")
    volumes.put(ONE, used=NOW - timedelta(days=1))
    volumes.put(TWO)
    async with controller(api) as found:
        third = version(digit="c")
        await found.caches.fetch(third, "ana")
        await wait_for(lambda: volumes.has(third))
        assert not volumes.has(ONE)
        assert volumes.has(TWO)


async def test_what_does_not_fit_is_refused(api: FakeApi, volumes: Volumes) -> None:
    put_claim(api, size="1Gi")
    volumes.put(ONE)
    async with controller(api, {(TEAM, COPY): LEASE}) as found:
        await found.work.look(await found.projects.open(TEAM))
        await wait_for(lambda: found.caches.all())
        with pytest.raises(Conflict, match=r"needs 1\.0 GiB"):
            await found.caches.fetch(TWO, "ana")
        assert not jobs_of(api, "cache")


async def test_what_does_not_fit_as_it_turns_out_fails(api: FakeApi, volumes: Volumes) -> None:
    put_claim(api, size="1Gi")
    volumes.put(ONE)
    async with controller(api, {(TEAM, COPY): LEASE}) as found:
        await found.caches.fetch(TWO, "ana")
        [job] = await wait_for(lambda: [j for j in found.registry.of("cache") if not j.active])
        assert job.problem
        assert "1.0 GiB too few" in job.problem.message
        assert not jobs_of(api, "cache")


async def test_a_used_version_is_not_cleared(api: FakeApi, volumes: Volumes) -> None:
    volumes.put(ONE)
    leases = {(TEAM, COPY): LEASE}
    async with controller(api, leases) as found:
        await found.work.look(await found.projects.open(TEAM))
        await wait_for(lambda: found.caches.all())
        with pytest.raises(InUse, match="team-a/exp-1"):
            await found.caches.clear(*COPY)
        leases.clear()
        await found.caches.clear(*COPY)
        await wait_for(lambda: not found.caches.all())
        assert not volumes.has(ONE)
        with pytest.raises(NotFound, match="is not cached"):
            await found.caches.clear(*COPY)


async def test_clearing_ends_a_fetch(api: FakeApi, volumes: Volumes) -> None:
    volumes.held.add("cache")
    async with controller(api) as found:
        await found.caches.fetch(ONE, "ana")
        await wait_for(lambda: jobs_of(api, "cache"))
        await found.caches.clear(*COPY)
        [job] = await wait_for(lambda: [j for j in found.registry.of("cache") if not j.active])
        assert job.state == "cancelled"
        assert not jobs_of(api, "cache")
        await wait_for(lambda: not found.caches.all())


@pytest.mark.parametrize("pauses", [0, 1, 3, 6, 10, 20])
async def test_a_fetch_is_cancelled_at_any_time(
    api: FakeApi, volumes: Volumes, pauses: int
) -> None:
    volumes.held.add("cache")
    async with controller(api) as found:
        answer = await found.caches.fetch(ONE, "ana")
        assert answer.job
        for _ in range(pauses):  # it is prepared a little further each time
            await asyncio.sleep(0)
        assert await found.work.cancel(answer.job.id)
        await wait_for(lambda: found.registry.jobs[answer.job.id].state == "cancelled")
        await wait_for(lambda: not found.caches.all())
        await wait_for(lambda: not jobs_of(api, "cache"))
        assert (await found.caches.fetch(ONE, "ana")).job, "it may be fetched again"


async def test_a_pinned_copy_is_not_cleared(api: FakeApi, volumes: Volumes) -> None:
    volumes.put(ONE)
    async with controller(api) as found:
        await found.work.look(await found.projects.open(TEAM))
        await wait_for(lambda: found.caches.all())
        await found.caches.pin(*COPY, Pin(user="ana"))
        with pytest.raises(InUse, match="is pinned by ana"):
            await found.caches.clear(*COPY)
        with pytest.raises(NotFound, match="bob has no pin"):
            await found.caches.unpin(*COPY, "bob")
        await found.caches.unpin(*COPY, "ana")
        await found.caches.clear(*COPY)
        await wait_for(lambda: not found.caches.all())


async def test_pins_outlive_the_controller(api: FakeApi, volumes: Volumes) -> None:
    volumes.put(ONE)
    for expected, user in ((1, "ana"), (2, "bob")):
        async with controller(api) as found:
            await found.work.look(await found.projects.open(TEAM))
            await wait_for(lambda found=found: found.caches.all())
            pinned = await found.caches.pin(*COPY, Pin(user=user, why="exam"))
            assert len(pinned.pins) == expected
    async with controller(api) as found:
        await found.work.look(await found.projects.open(TEAM))
        await wait_for(lambda: found.caches.all())
        left = await found.caches.unpin(*COPY, "ana")
        assert [pin.user for pin in left.pins] == ["bob"]
        assert found.caches.room().evictable == 0


async def test_a_failed_fetch_says_why(api: FakeApi, volumes: Volumes) -> None:
    async with controller(api) as found:
        await found.work.look(await found.projects.open(TEAM))
        await wait_for(lambda: found.registry.of("index")[0].state == "done")
        volumes.problem = Problem(code="NotAllowed", message="s3://lake refuses these credentials.")
        await found.caches.fetch(ONE, "ana")
        [job] = await wait_for(lambda: [j for j in found.registry.of("cache") if not j.active])
        assert (job.state, job.problem) == ("failed", volumes.problem)
        assert not found.caches.all()


async def test_other_projects_have_caches_of_their_own(api: FakeApi, volumes: Volumes) -> None:
    put_claim(api, OTHER)
    async with controller(api) as found:
        await found.caches.fetch(ONE, "ana")
        await found.caches.fetch_for(OTHER, ONE, "bob")
        await wait_for(lambda: volumes.has(ONE) and volumes.has(ONE, OTHER))
        await wait_for(lambda: [each.state for each in found.caches.all()] == ["cached"])
        await wait_for(lambda: found.caches.room().used == 2 * GIB)


async def test_all_projects_may_share_one(api: FakeApi, volumes: Volumes) -> None:
    async with controller(api, shared=TEAM) as found:
        await found.caches.fetch_for(OTHER, ONE, "bob")
        await wait_for(lambda: volumes.has(ONE))
        assert found.projects.namespace_of(OTHER) == TEAM


@pytest.mark.parametrize(
    ("mode", "name", "kind", "said"),
    [
        ("ReadWriteOnce", "mnist", WrongState, "cannot be shared: ReadWriteOnce"),
        ("ReadWriteMany", "own", NotAllowed, "own is in a member's own lake"),
        ("ReadWriteMany", "other", NotFound, "'other' not found"),
    ],
)
async def test_what_cannot_be_fetched_is_refused(
    api: FakeApi, mode: str, name: str, kind: type[Exception], said: str
) -> None:
    put_claim(api, mode=mode)
    async with controller(api) as found:
        with pytest.raises(kind, match=said):
            await found.caches.fetch(version(name), "ana")


async def test_a_namespace_without_a_claim_is_named(api: FakeApi) -> None:
    async with controller(api) as found:
        with pytest.raises(NotFound, match="team-b has no claim datasets"):
            await found.caches.fetch_for(OTHER, ONE, "bob")


async def test_a_fetch_is_as_large_as_its_version_until_it_says_how_large_it_is(
    api: FakeApi,
) -> None:
    cache = ProjectCache(TEAM, CLAIM, Marks(api, TEAM, CLAIM), lambda _: ())
    fetch = cache.running["j1"] = Running(new_task("cache", "ana", version()))
    assert [each.size for each in cache.versions()] == [GIB]
    fetch.size = 5
    assert [each.size for each in cache.versions()] == [5]
