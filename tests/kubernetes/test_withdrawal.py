"""What has never started is taken back, and nothing else, whatever the cluster does meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_gpuquota.errors import GpuQuotaError, NotFound
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.objects.meta import Meta
from jupyter_gpuquota.kubernetes.objects.pods import Pod, PodSpec, SchedulingGate
from jupyter_gpuquota.kubernetes.objects.workloads import (
    Job,
    JobSpec,
    StatefulSet,
    StatefulSetSpec,
)
from jupyter_gpuquota.kubernetes.reconcile.withdrawal import is_untouched
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, SECRETS, SERVICES, STATEFUL_SETS
from tests.builders import make_session
from tests.kubernetes.driving import controller, settled, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.waiting import wait_for

META = Meta(name="gpu-exp-1")
FREE, GATED, PLACED = (
    Pod(metadata=META, spec=PodSpec(**fields))
    for fields in (
        {},
        {"scheduling_gates": (SchedulingGate(name="kueue.x-k8s.io/admission"),)},
        {"node_name": "node-1"},
    )
)
UP, DOWN = (StatefulSet(metadata=META, spec=StatefulSetSpec(replicas=n)) for n in (1, 0))
STARTED, SUSPENDED = (Job(metadata=META, spec=JobSpec(suspend=s)) for s in (False, True))
LAB: tuple[str, ...] = ()
COMMAND = ("sleep", "600")


@pytest.mark.parametrize(
    ("workload", "pods", "command", "untouched"),
    [
        (SUSPENDED, [], COMMAND, True),
        (STARTED, [], COMMAND, False),
        (SUSPENDED, [FREE], COMMAND, False),
        (SUSPENDED, [GATED], COMMAND, False),
        (DOWN, [], COMMAND, True),
        (DOWN, [], LAB, True),
        (UP, [], LAB, True),
        (UP, [], COMMAND, False),
        (UP, [FREE], LAB, True),
        (UP, [FREE], COMMAND, False),
        (UP, [GATED], LAB, True),
        (UP, [GATED], COMMAND, True),
        (UP, [PLACED], LAB, False),
        (DOWN, [FREE], COMMAND, False),
        (DOWN, [PLACED], LAB, False),
    ],
)
def test_what_can_be_taken_back(
    workload: Any, pods: list[Pod], command: tuple[str, ...], *, untouched: bool
) -> None:
    session = make_session(command=command)
    assert is_untouched(workload, pods, session) is untouched


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def cluster(api: FakeApi) -> FakeCluster:
    found = FakeCluster(api)
    found.has_room = False
    return found


def left(api: FakeApi) -> list[str]:
    """Return the kinds of which there are objects."""
    kinds = (STATEFUL_SETS, JOBS, SECRETS, SERVICES, PODS)
    return [kind.plural for kind in kinds if api.all(kind)]


@pytest.mark.asyncio
class TestWithdrawal:
    async def test_nothing_is_left_of_a_queued_session(
        self, api: FakeApi, cluster: FakeCluster
    ) -> None:
        async with controller(api) as driver:
            session = await driver.sessions.create(spec(command=()), "me")
            await until(cluster, lambda: api.all(PODS))
            assert await driver.sessions.withdraw(session.id)
            assert driver.board.sessions == ()
            await settled(cluster, api)
            assert left(api) == []
            with pytest.raises(NotFound):
                await driver.sessions.withdraw(session.id)
            cluster.has_room = True
            again = await driver.sessions.create(spec(command=()), "me", session.id)
            await until(cluster, lambda: driver.only().state == "running")
            assert again.id == driver.only().id == session.id
            assert not await driver.sessions.withdraw(session.id)
            assert "pods" in left(api)

    async def test_a_pod_that_is_placed_at_that_moment_stays(
        self, api: FakeApi, cluster: FakeCluster
    ) -> None:
        async with controller(api) as driver:
            session = await driver.sessions.create(spec(command=()), "me")
            await until(cluster, lambda: api.all(PODS))
            api.fail(Fault(409, "Conflict", "the pod has changed"), "delete", "pods")
            assert not await driver.sessions.withdraw(session.id)
            assert driver.only().state == "waiting"
            cluster.has_room = True
            await until(cluster, lambda: driver.only().state == "running")

    @pytest.mark.parametrize("kind", ["statefulsets", "pods"])
    @pytest.mark.parametrize("done", [True, False])
    async def test_it_is_repeated_after_an_answer_that_was_lost(
        self, api: FakeApi, cluster: FakeCluster, kind: str, *, done: bool
    ) -> None:
        async with controller(api) as driver:
            session = await driver.sessions.create(spec(command=()), "me")
            await until(cluster, lambda: api.all(PODS))
            api.fail(Fault(0, "", "no answer"), "delete", kind, done=done)
            with pytest.raises(GpuQuotaError):
                await driver.sessions.withdraw(session.id)

            async def gone() -> bool:
                try:
                    return await driver.sessions.withdraw(session.id)
                except NotFound:
                    return True

            assert await wait_for(gone)
            await settled(cluster, api)
            assert left(api) == []
            assert cluster.started == []

    async def test_a_training_whose_pod_may_start_is_left_alone(
        self, api: FakeApi, cluster: FakeCluster
    ) -> None:
        async with controller(api) as driver:
            session = await driver.sessions.create(spec(kind="train"), "me")
            await until(cluster, lambda: api.all(PODS))
            assert not await driver.sessions.withdraw(session.id)
            assert "jobs" in left(api)
