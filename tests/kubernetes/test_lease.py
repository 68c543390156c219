"""One controller of a team at a time, by a Lease; tests/cluster does it on a real API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from jupyter_gpuquota.errors import NotAllowed, Unavailable
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.lease.keeper import (
    DEADLINE,
    DURATION,
    LOST,
    RETRY,
    Leadership,
    LeaseKeeper,
    Move,
    Sight,
    decide,
    seen,
)
from jupyter_gpuquota.kubernetes.objects.cluster import Lease, LeaseSpec
from jupyter_gpuquota.kubernetes.objects.meta import Meta
from jupyter_gpuquota.kubernetes.resident.resident import Late
from jupyter_gpuquota.kubernetes.resources import LEASES
from tests.kubernetes.fake_api import FakeApi

WHERE = "team-a/controller"


class Time:
    """A clock that tests move, with all who sleep by it."""

    def __init__(self) -> None:
        self.now = 100.0
        self._moved = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            await self._moved.wait()

    async def pass_by(self, seconds: float) -> None:
        """Let time pass, in steps in which everybody who wakes up can act."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + 0.25)
            self._moved.set()
            self._moved = asyncio.Event()
            for _ in range(10):
                await asyncio.sleep(0)


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def time() -> Time:
    return Time()


def keeper(api: FakeApi, time: Time, me: str) -> LeaseKeeper:
    made = LeaseKeeper(api, WHERE, lambda: time.now, time.sleep)
    made.me = me
    return made


@asynccontextmanager
async def waiting(keeper: LeaseKeeper) -> AsyncIterator[asyncio.Task[None]]:
    """Let a controller wait for the lease."""
    task = asyncio.create_task(keeper.acquire())
    yield task
    task.cancel()
    with suppress(asyncio.CancelledError, NotAllowed):
        await task
    await keeper.release()


def holder(api: FakeApi) -> str:
    return str(api.raw(LEASES, *WHERE.split("/"))["spec"]["holderIdentity"])


# ── The decision ─────────────────────────────────────────────────────────────────────────────────


def lease(holder: str | None, renewed: str = "1", seconds: int | None = 15) -> Lease:
    spec = LeaseSpec(holder_identity=holder, renew_time=renewed, lease_duration_seconds=seconds)
    return Lease(metadata=Meta(name="controller"), spec=spec)


@pytest.mark.parametrize(
    ("found", "unchanged_for", "move"),
    [
        (None, 0.0, Move.CREATE),
        (lease("me"), 1000.0, Move.RENEW),
        (lease(""), 0.0, Move.TAKE),
        (lease(None), 0.0, Move.TAKE),
        (lease("other"), 14.9, Move.WAIT),
        (lease("other"), 15.0, Move.TAKE),
        (lease("other", seconds=60), 59.0, Move.WAIT),
        (lease("other", seconds=None), DURATION - 0.1, Move.WAIT),
        (lease("other", seconds=None), DURATION, Move.TAKE),
    ],
)
def test_what_to_do(found: Lease | None, unchanged_for: float, move: Move) -> None:
    assert decide("me", Sight(found, 100.0), 100.0 + unchanged_for) is move


def test_a_lease_expires_by_ones_own_clock() -> None:
    first = seen(None, lease("other", "1999-01-01"), 100.0)
    assert seen(first, lease("other", "1999-01-01"), 110.0).since == 100.0
    assert seen(first, lease("other", "1999-01-02"), 110.0).since == 110.0
    assert seen(first, lease("third", "1999-01-01"), 110.0).since == 110.0


def test_the_holder_stops_before_another_can_begin() -> None:
    assert DEADLINE + 2 * RETRY < DURATION


# ── Keeping a lease ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.asyncio
async def test_the_first_one_is_in_charge_and_the_second_waits(api: FakeApi, time: Time) -> None:
    one, other = keeper(api, time, "one"), keeper(api, time, "other")
    async with waiting(one), waiting(other) as second:
        await time.pass_by(300.0)
        assert (one.is_held, other.is_held, holder(api)) == (True, False, "one")
        assert not second.done()
        assert api.raw(LEASES, *WHERE.split("/"))["spec"]["leaseTransitions"] == 0


@pytest.mark.asyncio
async def test_two_that_begin_at_once_are_one(api: FakeApi, time: Time) -> None:
    keepers = [keeper(api, time, f"controller-{i}") for i in range(5)]
    tasks = [asyncio.create_task(each.acquire()) for each in keepers]
    await time.pass_by(60.0)
    assert [each.is_held for each in keepers].count(True) == 1
    for task, each in zip(tasks, keepers, strict=True):
        task.cancel()
        await each.release()


@pytest.mark.asyncio
async def test_a_clean_end_hands_over_at_once(api: FakeApi, time: Time) -> None:
    one, other = keeper(api, time, "one"), keeper(api, time, "other")
    async with waiting(other):
        await one.acquire()
        await time.pass_by(5.0)
        assert not other.is_held
        await one.release()
        assert not one.is_held
        await time.pass_by(2 * RETRY)
        assert (other.is_held, holder(api)) == (True, "other")


@pytest.mark.asyncio
async def test_a_killed_holder_is_followed_once_its_lease_has_expired(
    api: FakeApi, time: Time
) -> None:
    one, other = keeper(api, time, "one"), keeper(api, time, "other")
    await one.acquire()
    assert one._keeping
    one._keeping.cancel()
    async with waiting(other):
        await time.pass_by(DURATION - 1.0)
        assert not other.is_held
        await time.pass_by(2 * RETRY)
        assert other.is_held
        assert api.raw(LEASES, *WHERE.split("/"))["spec"]["leaseTransitions"] == 1


@pytest.mark.asyncio
async def test_never_two_at_once_however_one_is_cut_off(api: FakeApi, time: Time) -> None:
    """The holder's connection fails at any moment of its renewals."""
    for offset in range(8):
        server = FakeApi()
        cut = server.acting_as("one")
        one, other = keeper(cut, time, "one"), keeper(server, time, "other")
        async with waiting(one), waiting(other):
            await time.pass_by(4.0 + offset * 0.25)
            assert one.is_held
            server.controls.allowed = lambda call: call.user != "one"
            both = first_free = None
            for _ in range(120):
                await time.pass_by(0.25)
                both = both or (one.is_held and other.is_held)
                first_free = first_free or (other.is_held and time.now)
            assert not both
            assert first_free
            assert not one.is_held


@pytest.mark.asyncio
async def test_a_short_outage_changes_nothing(api: FakeApi, time: Time) -> None:
    one, other = keeper(api, time, "one"), keeper(api, time, "other")
    async with waiting(one), waiting(other):
        await time.pass_by(5.0)
        api.stop()
        await time.pass_by(DEADLINE - 2 * RETRY)
        assert one.is_held
        api.start()
        await time.pass_by(60.0)
        assert (one.is_held, other.is_held) == (True, False)


@pytest.mark.asyncio
async def test_a_sleeping_machine_wakes_up_without_the_lease(api: FakeApi, time: Time) -> None:
    one = keeper(api, time, "one")
    await one.acquire()
    time.now += 3600.0  # nothing of this process has run meanwhile
    assert not one.is_held
    await one.release()


@pytest.mark.asyncio
async def test_a_lease_that_someone_took_away_is_lost_at_once(api: FakeApi, time: Time) -> None:
    one = keeper(api, time, "one")
    async with waiting(one):
        await time.pass_by(1.0)
        body = {"spec": {"holderIdentity": "other", "renewTime": "2026-01-01T00:00:00.000000Z"}}
        await api.patch(LEASES, *WHERE.split("/"), body)
        await time.pass_by(RETRY + 0.5)
        assert not one.is_held
        await time.pass_by(100.0)
        assert (one.is_held, holder(api)) == (False, "other")


@pytest.mark.asyncio
async def test_a_missing_right_is_an_error_that_says_what_to_do(api: FakeApi, time: Time) -> None:
    api.fail(Fault(403, "Forbidden", 'leases.coordination.k8s.io is forbidden: User "x" cannot'))
    with pytest.raises(NotAllowed) as caught:
        await keeper(api, time, "one").acquire()
    assert "deploy/rbac.yaml" in caught.value.hint


@pytest.mark.asyncio
async def test_the_lease_is_in_the_controllers_own_namespace(api: FakeApi) -> None:
    assert LeaseKeeper(api).where == ("jupyter-gpuquota", "jupyter-gpuquota")
    api.namespace = "ops"
    assert LeaseKeeper(api).where == ("ops", "jupyter-gpuquota")
    assert LeaseKeeper(api, "x/y").where == ("x", "y")


# ── Being in charge ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.asyncio
async def test_who_is_not_in_charge_any_more_can_do_nothing(api: FakeApi, time: Time) -> None:
    leadership, late = Leadership(), Late("The cluster")
    leadership.contest(keeper(api, time, "one"))
    late.found(api, leadership.lost)
    assert leadership.lost() == ""  # it reads while it waits
    await leadership.begin()
    await late.list(LEASES)
    time.now += DEADLINE
    calls = len(api.calls)
    for verb in ("create", "patch", "delete", "ask", "websocket"):
        with pytest.raises(Unavailable) as caught:
            getattr(late, verb)
        assert caught.value.message == LOST
    assert len(api.calls) == calls
    await leadership.end()


@pytest.mark.asyncio
async def test_without_a_lease_one_is_always_in_charge() -> None:
    leadership = Leadership()
    await leadership.begin()
    assert leadership.lost() == ""
    await leadership.end()
