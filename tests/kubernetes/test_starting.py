"""A session that never becomes ready fails with what is known of it, and keeps its place."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.reconcile.steps import StartClock
from jupyter_gpuquota.kubernetes.reconcile.tracked import Tracked
from jupyter_gpuquota.kubernetes.resources import PODS
from tests.kubernetes.driving import controller, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster
from tests.kubernetes.kubelet_log import KubeletLog, stamp
from tests.kubernetes.sights import NOW, record

LOG = PODS.path("team-a", "gpu-exp-1-0", "log")


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def cluster(api: FakeApi) -> FakeCluster:
    made = FakeCluster(api)
    made.serves = False
    return made


@pytest.mark.asyncio
async def test_a_server_that_never_answers_fails(api: FakeApi, cluster: FakeCluster) -> None:
    api.controls.answers[LOG] = KubeletLog((stamp(0), "loading\n"), (stamp(1), "thinking\n"))
    async with controller(api, starting=0.2) as driver:
        await driver.sessions.create(spec(command=()), "me")
        await until(cluster, lambda: driver.only().state == "failed")
        failed = driver.only()
        assert failed.reason is not None
        assert (failed.reason.code, failed.reason.key) == ("StartTimeout", "start.timeout")
        assert failed.exit is not None
        assert (failed.exit.code, failed.exit.last_lines) == (None, ("loading", "thinking"))
        assert not api.all(PODS)
    async with controller(api) as another:
        assert another.only().exit == failed.exit
        cluster.serves = True
        await another.sessions.resume(failed.id)
        await until(cluster, lambda: another.only().state == "running")
        assert another.only().exit is None


@pytest.mark.asyncio
async def test_a_log_that_may_not_be_read_is_no_obstacle(
    api: FakeApi, cluster: FakeCluster
) -> None:
    def refused(_: object) -> bytes:
        raise Fault(403, "Forbidden", "pods/log is forbidden")

    api.controls.answers[LOG] = refused
    async with controller(api, starting=0.2) as driver:
        await driver.sessions.create(spec(command=()), "me")
        await until(cluster, lambda: driver.only().state == "failed")
        assert driver.only().exit is None


class Steady:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def test_a_start_is_measured_from_its_beginning() -> None:
    steady, begun = Steady(), Tracked(record("starting", run=2))
    clock = StartClock(600.0, steady)
    assert clock.left(begun, NOW) == 600.0
    steady.at += 599.0
    assert clock.overdue(begun, NOW) is None
    steady.at += 1.0
    found = clock.overdue(begun, NOW)
    assert found is not None
    assert (found.run, found.limit) == (2, 600)


def test_a_clock_that_jumps_ends_no_start() -> None:
    steady, begun = Steady(), Tracked(record("starting", run=1))
    clock = StartClock(600.0, steady)
    assert clock.left(begun, NOW) == 600.0
    assert clock.left(begun, NOW + timedelta(days=1)) == 600.0


def test_the_next_controller_goes_on_but_looks_a_minute_first() -> None:
    clock = StartClock(600.0, Steady())
    assert clock.left(Tracked(record("starting", run=1)), NOW + timedelta(seconds=200)) == 400.0
    assert clock.left(Tracked(record("starting", run=1)), NOW + timedelta(hours=2)) == 60.0
    assert clock.left(Tracked(record("starting", run=1)), NOW - timedelta(hours=2)) == 600.0


def test_the_next_run_begins_anew() -> None:
    steady, again = Steady(), Tracked(record("starting", run=1))
    clock = StartClock(600.0, steady)
    clock.left(again, NOW)
    steady.at += 500.0
    again.record = record("starting", run=2)
    assert clock.left(again, NOW) == 600.0


@pytest.mark.parametrize(("limit", "state"), [(0.0, "starting"), (600.0, "running")])
def test_nothing_limits_what_has_no_limit_or_is_ready(limit: float, state: str) -> None:
    assert StartClock(limit, Steady()).left(Tracked(record(state, run=1)), NOW) is None


def test_how_a_start_goes_on_is_written_now_and_then() -> None:
    begun = Tracked(record("starting", run=1))
    assert begun.unsaved() == 0
    begun.keeps(begun.record)
    assert begun.unsaved() is None
    begun.record = record("starting", run=1, pod="p1")
    left = begun.unsaved()
    assert left is not None
    assert 0 < left <= 2
    begun.stored_at -= 2
    assert begun.unsaved() == 0
    begun.keeps(begun.record)
    begun.record = record("running", run=1, pod="p1")
    assert begun.unsaved() == 0
