"""Every verb, on an API server in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from jupyter_gpuquota.core.end_requests import requested
from jupyter_gpuquota.errors import NameTaken, NotAllowed, NotFound, WrongState
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.labels import RECORD
from jupyter_gpuquota.kubernetes.reconcile.reconciler import Failures
from jupyter_gpuquota.kubernetes.reconcile.tracked import Tracked
from jupyter_gpuquota.kubernetes.reconcile.writer import VERSIONS
from jupyter_gpuquota.kubernetes.resources import JOBS, PODS, SECRETS, SERVICES, STATEFUL_SETS
from jupyter_gpuquota.kubernetes.state.record import Record
from jupyter_gpuquota.model.ending import PageReport
from jupyter_gpuquota.model.resources import Share
from tests.builders import make_session
from tests.kubernetes.driving import Driver, controller, settled, spec, until
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.fake_cluster import FakeCluster

pytestmark = pytest.mark.asyncio


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def cluster(api: FakeApi) -> FakeCluster:
    return FakeCluster(api)


def counts(api: FakeApi) -> dict[str, int]:
    """Return how many objects of each kind there are."""
    kinds = (STATEFUL_SETS, JOBS, SECRETS, SERVICES, PODS)
    return {kind.plural: found for kind in kinds if (found := len(api.all(kind)))}


def state(driver: Driver, wanted: str) -> Any:
    """Return a function that says whether the only session has a state."""
    return lambda: driver.only().state == wanted


@pytest.fixture(params=["interactive", "train"])
def kind(request: pytest.FixtureRequest) -> Iterator[str]:
    return request.param


async def test_launch_stop_resume_delete(api: FakeApi, cluster: FakeCluster, kind: str) -> None:
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(kind=kind), "me")
        assert session.state == "waiting"
        await until(cluster, state(driver, "running"))
        assert driver.only().placement is not None
        await driver.sessions.stop(session.id)
        await until(cluster, state(driver, "stopped"))
        assert "pods" not in counts(api)
        await driver.sessions.resume(session.id)
        await until(cluster, state(driver, "running"))
        assert driver.only().run == 2
        await driver.sessions.suspend(session.id)
        await until(cluster, state(driver, "suspended"))
        await driver.sessions.delete(session.id)
        assert driver.board.sessions == ()
        assert counts(api) == {}
        with pytest.raises(NotFound):
            await driver.sessions.delete(session.id)


async def test_who_has_stopped_a_session_and_why_is_in_its_record(
    api: FakeApi, cluster: FakeCluster, kind: str
) -> None:
    why = requested("stop", "root-admin", "Node dgx1-1 is needed.")
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(kind=kind), "me")
        await until(cluster, state(driver, "running"))
        await driver.sessions.stop(session.id, why)
        await until(cluster, state(driver, "stopped"))
    async with controller(api) as later:
        await until(cluster, lambda: len(later.board.sessions) == 1)
        said = later.only().reason
        assert (said.args, said.message) == (why.args, why.message)


async def test_resize_keeps_the_token(api: FakeApi, cluster: FakeCluster, kind: str) -> None:
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(kind=kind), "me")
        await until(cluster, state(driver, "running"))
        before = api.raw(SECRETS, "team-a", "gpu-exp-1")["data"]
        resized = await driver.sessions.resize(session.id, Share(milli=250))
        assert resized.state == "stopping"
        await until(cluster, lambda: driver.only().run == 2 and driver.only().state == "running")
        [pod] = api.all(PODS)
        assert pod["spec"]["containers"][0]["gpu"] == 250
        secret = api.raw(SECRETS, "team-a", "gpu-exp-1")
        assert secret["data"] == before
        assert RECORD not in secret["metadata"].get("annotations", {})
        assert len(secret["metadata"]["ownerReferences"]) == 1


def workloads(api: FakeApi) -> list[Any]:
    """Return the workloads of all sessions."""
    return [*api.all(STATEFUL_SETS), *api.all(JOBS)]


async def test_a_queued_session_stops_at_once(api: FakeApi, cluster: FakeCluster) -> None:
    cluster.has_room = False
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(), "me")
        await until(cluster, lambda: api.all(PODS))
        assert (await driver.sessions.stop(session.id)).state == "stopped"
        await until(cluster, lambda: not api.all(PODS))


async def test_a_queued_session_is_resized(api: FakeApi, cluster: FakeCluster) -> None:
    cluster.has_room = False
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(), "me")
        await until(cluster, lambda: api.all(PODS))
        await driver.sessions.resize(session.id, Share(milli=250))
        cluster.has_room = True
        await until(cluster, state(driver, "running"))
        assert api.all(PODS)[0]["spec"]["containers"][0]["gpu"] == 250


async def test_resume_waits_until_the_last_pod_has_gone(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        cluster.is_slow = True
        await driver.sessions.stop(session.id)
        with pytest.raises(WrongState):
            await driver.sessions.resume(session.id)
        cluster.is_slow = False
        await until(cluster, state(driver, "stopped"))


async def test_pods_that_may_not_be_read_have_not_gone(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        before = driver.only()
        api.controls.allowed = lambda call: (call.verb, call.resource) != ("watch", "pods")
        api.end_watches()
        await until(cluster, lambda: driver.watches.forbidden(PODS))
        await settled(cluster, api)
        assert driver.only() == before
        assert len(api.all(PODS)) == 1


async def test_a_session_that_may_not_be_read_any_more_comes_back(
    api: FakeApi, cluster: FakeCluster
) -> None:
    async with controller(api) as driver:
        await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        api.controls.allowed = lambda call: call.resource not in ("statefulsets", "secrets")
        api.end_watches()
        await until(cluster, lambda: not driver.board.sessions)
        [warning] = driver.board.warnings()
        assert "it may no longer be read" in warning
    api.controls.allowed = lambda _: True
    async with controller(api) as heir:
        assert (heir.only().state, heir.only().run) == ("running", 1)


async def test_pages_save_before_the_pod_ends(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(command=()), "me")
        await until(cluster, state(driver, "running"))
        await driver.sessions.put_page(session.id, "p1", PageReport(state="open"))
        stopping = await driver.sessions.stop(session.id)
        assert stopping.is_saving
        cluster.round()
        assert api.all(PODS)
        await driver.sessions.put_page(session.id, "p1", PageReport(state="saved"))
        await until(cluster, state(driver, "stopped"))


async def test_of_launches_of_one_name_one_wins(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver, controller(api) as other:
        made = await asyncio.gather(
            *(each.sessions.create(spec(), "me") for each in (driver, other, driver)),
            return_exceptions=True,
        )
        assert sum(isinstance(each, NameTaken) for each in made) == 2
        await until(cluster, lambda: driver.board.sessions and other.board.sessions)
        assert counts(api)["statefulsets"] == 1


async def test_what_was_deleted_behind_our_back_is_gone(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        await api.delete(STATEFUL_SETS, "team-a", "gpu-exp-1")
        await until(cluster, lambda: not driver.board.sessions)
        assert counts(api) == {}
        [warning] = driver.board.warnings()
        assert warning.startswith("exp-1 of team-a is gone: it was deleted in the cluster")
        tending = "Reconciler._run"
        await until(cluster, lambda: all(tending not in str(t) for t in asyncio.all_tasks()))


async def test_a_session_that_comes_back_is_not_lost(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        raw = api.raw(STATEFUL_SETS, "team-a", "gpu-exp-1")
        await api.delete(STATEFUL_SETS, "team-a", "gpu-exp-1")
        await until(cluster, lambda: driver.board.warnings())
        api.put(STATEFUL_SETS, raw)
        await until(cluster, lambda: driver.board.sessions)
        assert driver.board.warnings() == ()


async def test_a_refused_launch_leaves_nothing(api: FakeApi) -> None:
    async with controller(api) as driver:
        api.fail(Fault(403, "Forbidden", "not allowed"), "create", "statefulsets")
        with pytest.raises(NotAllowed):
            await driver.sessions.create(spec(), "me")
        assert driver.board.sessions == ()
        assert counts(api) == {}


async def test_a_launch_whose_answer_is_lost_is_one_launch(
    api: FakeApi, cluster: FakeCluster
) -> None:
    async with controller(api) as driver:
        api.fail(Fault(0, "", "connection lost"), "create", "statefulsets", done=True)
        await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        assert len(cluster.started) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault(409, "Conflict", "the object has been modified"),
        Fault(403, "Forbidden", "exceeded quota: secrets"),
        Fault(500, "InternalError", 'failed calling webhook "x"'),
        Fault(429, "TooManyRequests", "slow down"),
        Fault(0, "", "connection refused"),
    ],
    ids=lambda fault: fault.reason or "lost",
)
@pytest.mark.parametrize("resource", ["secrets", "services", "statefulsets"])
async def test_a_refused_step_is_shown_and_repeated(
    api: FakeApi, cluster: FakeCluster, fault: Fault, resource: str
) -> None:
    verb = "patch" if resource == "statefulsets" else "create"
    # A changed workload is read at once, and written again where only its status had changed.
    tries = VERSIONS + 1 if (verb, fault.reason) == ("patch", "Conflict") else 1
    async with controller(api) as driver:
        api.fail(fault, verb, resource, times=2 * tries)
        await driver.sessions.create(spec(), "me")
        await until(cluster, lambda: driver.only().reason)
        assert driver.only().reason.raw == fault.message
        await until(cluster, state(driver, "running"))
        assert len(cluster.started) == 1
        assert driver.reconciler.failures.count >= 1


async def test_a_change_that_meets_another_one_is_merged(
    api: FakeApi, cluster: FakeCluster
) -> None:
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        theirs = {"metadata": {"annotations": {"example.org/theirs": "1"}}}
        await api.patch(STATEFUL_SETS, "team-a", "gpu-exp-1", theirs)
        fault = Fault(409, "Conflict", "the object has been modified")
        api.fail(fault, "patch", "statefulsets", times=2)
        await driver.sessions.stop(session.id)
        await until(cluster, state(driver, "stopped"))
    annotations = api.raw(STATEFUL_SETS, "team-a", "gpu-exp-1")["metadata"]["annotations"]
    assert annotations["example.org/theirs"] == "1"
    async with controller(api) as heir:
        assert heir.only().state == "stopped"


async def test_an_object_of_someone_else_is_not_taken_over(
    api: FakeApi, cluster: FakeCluster
) -> None:
    api.put(
        SECRETS, {"metadata": {"name": "gpu-exp-1", "namespace": "team-a"}, "data": {"x": "eA=="}}
    )
    async with controller(api) as driver:
        session = await driver.sessions.create(spec(), "me")
        await until(cluster, lambda: driver.only().reason)
        assert "belongs to something else" in driver.only().reason.raw
        await driver.sessions.stop(session.id)
        await driver.sessions.delete(session.id)
        assert api.raw(SECRETS, "team-a", "gpu-exp-1")["data"] == {"x": "eA=="}


async def test_a_slow_server_launches_once(api: FakeApi, cluster: FakeCluster) -> None:
    async with controller(api) as driver:
        api.controls.latency = 0.05
        session = await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        await driver.sessions.stop(session.id)
        await until(cluster, state(driver, "stopped"))
        assert len(cluster.started) == 1


async def test_a_workload_that_kueue_never_lets_up_again_is_made_anew(
    api: FakeApi, cluster: FakeCluster
) -> None:
    said = (
        'admission webhook "vstatefulset.kb.io" denied the request: spec.replicas: Forbidden: '
        "workload from previous scale-down is still being deleted"
    )
    async with controller(api) as driver:
        await driver.sessions.create(spec(), "me")
        await until(cluster, state(driver, "running"))
        before = api.raw(STATEFUL_SETS, "team-a", "gpu-exp-1")["metadata"]["uid"]
        await driver.sessions.suspend(driver.only().id)
        await until(cluster, state(driver, "suspended"))
        api.fail(Fault(422, "Invalid", said), "patch", "statefulsets", skip=1)
        await driver.sessions.resume(driver.only().id)
        await until(cluster, state(driver, "running"))
        after = api.raw(STATEFUL_SETS, "team-a", "gpu-exp-1")["metadata"]["uid"]
        assert after != before
        assert driver.only().reason is None


async def test_each_failed_attempt_is_counted_once() -> None:
    failures, tracked = Failures(), Tracked(Record(session=make_session()))
    failures.bug(tracked, ValueError("a bug"))
    failures.fault(tracked, Fault(500, "InternalError", "…"))
    failures.fault(tracked, Fault(409, "Conflict", "another controller may do the same"))
    assert failures.count == 2


async def test_each_further_attempt_waits_longer_up_to_20_seconds() -> None:
    failures, tracked = Failures(), Tracked(Record(session=make_session()))
    assert [failures.pause(tracked) for _ in range(8)] == [0.2, 0.5, 1, 2, 5, 10, 20, 20]
