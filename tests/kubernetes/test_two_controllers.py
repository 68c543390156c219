"""Two controllers of one user, on two machines: whatever is asked of either, they agree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import permutations
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.kubernetes.labels import RECORD
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, SECRETS, SERVICES, STATEFUL_SETS
from jupyter_gpuquota.model.ending import PageReport
from jupyter_gpuquota.model.resources import Share
from tests.kubernetes.driving import Driver, controller, settled, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

NAME = "gpu-exp-1"
Verb = Callable[[Driver], Awaitable[Any]]

VERBS: dict[str, Verb] = {
    "stop": lambda d: d.sessions.stop(d.only().id),
    "suspend": lambda d: d.sessions.suspend(d.only().id),
    "resize": lambda d: d.sessions.resize(d.only().id, Share(milli=250)),
}


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def cluster(api: FakeApi) -> FakeCluster:
    return FakeCluster(api)


@asynccontextmanager
async def both(api: FakeApi) -> AsyncIterator[tuple[Driver, Driver]]:
    """Run two controllers of one user."""
    async with controller(api) as one, controller(api) as other:
        for driver in (one, other):
            driver.reconciler.owner = "me"
        yield one, other


def shows(state: str, *drivers: Driver) -> Callable[[], bool]:
    """Return whether both controllers show the only session in a state."""

    def agree() -> bool:
        found = [session for driver in drivers for session in driver.board.sessions]
        return [session.state for session in found] == [state] * len(drivers)

    return agree


def assert_agreed(api: FakeApi, drivers: Iterable[Driver]) -> None:
    """Check that there is one session, whole, which all show as it is recorded."""
    [workload] = [*api.all(STATEFUL_SETS), *api.all(JOBS)]
    [secret] = api.all(SECRETS)
    [owner] = secret["metadata"]["ownerReferences"]
    assert owner["uid"] == workload["metadata"]["uid"]
    assert RECORD not in secret["metadata"].get("annotations", {})
    stored = msgspec.json.decode(workload["metadata"]["annotations"][RECORD])["session"]
    for driver in drivers:
        shown = driver.only()
        assert (shown.state, shown.run, shown.spec.share.milli) == (
            stored["state"],
            stored["run"],
            stored["spec"]["share"]["milli"],
        )


@pytest.mark.parametrize("kind", ["interactive", "train"])
async def test_a_launch_is_one_launch(api: FakeApi, cluster: FakeCluster, kind: str) -> None:
    async with both(api) as (one, other):
        await one.sessions.create(spec(kind=kind), "me")
        await until(cluster, shows("running", one, other))
        token = api.raw(SECRETS, "team-a", NAME)["data"]
        await settled(cluster, api)
        assert len(cluster.started) == 1
        assert api.raw(SECRETS, "team-a", NAME)["data"] == token
        assert len(api.all(SERVICES)) == 1
        assert_agreed(api, (one, other))


async def test_a_token_is_made_once(api: FakeApi, cluster: FakeCluster) -> None:
    """The pod has read the first token when a second one would be written."""
    tokens: set[str] = set()
    async with both(api) as (one, other):
        await one.sessions.create(spec(), "me")

        def noted() -> bool:
            tokens.update(raw["data"]["token"] for raw in api.all(SECRETS))
            return shows("running", one, other)()

        await until(cluster, noted)
    assert len(tokens) == 1


@pytest.mark.parametrize("verb", VERBS)
async def test_what_one_is_asked_the_other_follows(
    api: FakeApi, cluster: FakeCluster, verb: str
) -> None:
    after = {"stop": "stopped", "suspend": "suspended", "resize": "running"}[verb]
    async with both(api) as (one, other):
        await one.sessions.create(spec(), "me")
        await until(cluster, shows("running", one, other))
        run = one.only().run
        await VERBS[verb](other)
        runs = run + (after == "running")
        await until(
            cluster,
            lambda: shows(after, one, other)() and one.only().run == runs == other.only().run,
        )
        await settled(cluster, api)
        assert len(cluster.started) == runs
        assert_agreed(api, (one, other))
        if after != "running":
            assert api.all(PODS) == []
            await one.sessions.resume(one.only().id)
            await until(cluster, shows("running", one, other))
            assert len(cluster.started) == runs + 1


@pytest.mark.parametrize("asked", [*permutations(VERBS, 2)], ids="-".join)
async def test_both_are_asked_at_once(
    api: FakeApi, cluster: FakeCluster, asked: tuple[str, str]
) -> None:
    async with both(api) as (one, other):
        await one.sessions.create(spec(), "me")
        await until(cluster, shows("running", one, other))
        answers = await asyncio.gather(
            *(VERBS[verb](driver) for verb, driver in zip(asked, (one, other), strict=True)),
            return_exceptions=True,
        )
        refused = [answer for answer in answers if isinstance(answer, Exception)]
        assert all(isinstance(error, GpuQuotaError) for error in refused)
        assert len(refused) < 2
        await settled(cluster, api)
        assert one.only().state == other.only().state != "stopping"
        assert_agreed(api, (one, other))


async def test_a_stale_controller_changes_nothing(api: FakeApi, cluster: FakeCluster) -> None:
    async with both(api) as (one, other):
        session = await one.sessions.create(spec(), "me")
        await until(cluster, shows("running", one, other))
        await settled(cluster, api)
        await other.watches.close()  # it has lost its connection, and does not know it yet
        await one.sessions.suspend(session.id)
        await until(cluster, shows("suspended", one))
        assert other.only().state == "running"
        other.reconciler.wake(session.id)
        with pytest.raises(GpuQuotaError):
            await other.sessions.suspend(session.id)
        assert other.only().state == "suspended"
        await settled(cluster, api)
        assert api.all(PODS) == []
        assert api.raw(STATEFUL_SETS, "team-a", NAME)["spec"]["replicas"] == 0


async def test_a_deletion_by_a_stale_controller_spares_what_runs_again(
    api: FakeApi, cluster: FakeCluster
) -> None:
    async with both(api) as (one, other):
        session = await one.sessions.create(spec(), "me")
        await until(cluster, shows("running", one, other))
        await one.sessions.stop(session.id)
        await until(cluster, shows("stopped", one, other))
        await settled(cluster, api)
        await other.watches.close()
        await one.sessions.resume(session.id)
        await until(cluster, shows("running", one))
        with pytest.raises(GpuQuotaError):
            await other.sessions.delete(session.id)
        await settled(cluster, api)
        assert one.only().state == "running"
        assert_agreed(api, (one,))


async def test_a_deletion_is_one_for_both(api: FakeApi, cluster: FakeCluster) -> None:
    async with both(api) as (one, other):
        session = await one.sessions.create(spec(), "me")
        await until(cluster, shows("running", one, other))
        await one.sessions.resize(session.id, Share(milli=250))
        await until(cluster, lambda: one.only().run == 2 and shows("running", one, other)())
        await other.sessions.stop(session.id)
        await until(cluster, shows("stopped", one, other))
        await one.sessions.delete(session.id)
        await wait_for(lambda: not other.board.sessions)
        await settled(cluster, api)
        assert not [*api.all(STATEFUL_SETS), *api.all(SECRETS), *api.all(SERVICES)]


async def test_pages_that_only_one_knows_may_save(api: FakeApi, cluster: FakeCluster) -> None:
    async with both(api) as (one, other):
        session = await one.sessions.create(spec(command=()), "me")
        await until(cluster, shows("running", one, other))
        await one.sessions.put_page(session.id, "p", PageReport(state="open"))
        await one.sessions.stop(session.id)
        await wait_for(lambda: other.only().state == "stopping")
        assert other.only().is_saving
        await one.sessions.put_page(session.id, "p", PageReport(state="saved"))
        await until(cluster, shows("stopped", one, other))
        assert one.only().ending.saved == other.only().ending.saved == "saved"


async def test_a_record_of_somebody_else_is_not_followed(
    api: FakeApi, cluster: FakeCluster
) -> None:
    async with controller(api) as driver:
        await driver.sessions.create(spec(), "me")
        await until(cluster, shows("running", driver))
        await settled(cluster, api)
        raw = api.raw(STATEFUL_SETS, "team-a", NAME)
        record = msgspec.json.decode(raw["metadata"]["annotations"][RECORD])
        record["session"]["owner"] = "mallory"
        for text in (msgspec.json.encode(record).decode(), "{}", "nonsense"):
            body = {"metadata": {"annotations": {RECORD: text}}}
            await api.patch(STATEFUL_SETS, "team-a", NAME, body)
            await settled(cluster, api)
            kept = api.raw(STATEFUL_SETS, "team-a", NAME)["metadata"]["annotations"][RECORD]
            assert msgspec.json.decode(kept)["session"]["owner"] == "me"
            assert (driver.only().owner, driver.only().state) == ("me", "running")
        assert len(cluster.started) == 1
