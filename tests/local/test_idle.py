"""Idle sessions: warned, kept alive, suspended and resumed, while real processes run.

Ten minutes pass in a second. The signals of the sessions are set by the tests; reading those of
real sessions is tested with the signals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.core.idle.decide import Reading
from jupyter_gpuquota.core.idle.policy import Limits
from jupyter_gpuquota.errors import NotAllowed, WrongState
from jupyter_gpuquota.model.idleness import SignalState
from jupyter_gpuquota.model.sessions import Session
from tests.contract.backend_contract import launch, until
from tests.local.conftest import marked, wait_for
from tests.local.policies import set_policy, warned

pytestmark = pytest.mark.asyncio

RATE = 600.0
FAST = {"idle_interval": 300, "stop_grace": 1.0}
EVER = datetime.fromtimestamp(0, UTC)
SLEEP = ("sleep", "1000")
STUBBORN = ("sh", "-c", "trap '' TERM; while :; do sleep 0.2; done")


class Seen:
    """Signals that a test sets for every session."""

    def __init__(self, **states: SignalState) -> None:
        self.states = states
        self.limits: Mapping[str, Limits] = {}

    async def read(
        self, sessions: Sequence[Session], limits: Mapping[str, Limits]
    ) -> dict[str, list[Reading]]:
        self.limits = limits
        readings = [Reading(name=name, state=state) for name, state in self.states.items()]
        return {session.id: readings for session in sessions}

    async def close(self) -> None:
        """Have nothing to let go of."""


async def limit(backend, **rules):
    await set_policy(backend, **{"idle_timeout": "30m", "warn_before": "10m", **rules})


async def run(backend, name="exp-1", **fields):
    made = await launch(backend, name, **{"gpu": "0.5", "command": SLEEP, **fields})
    return await until(backend, made.id, "running")


async def test_whoever_is_idle_is_warned_suspended_and_comes_back(make):
    backend = await make(activity=Seen(cpu="idle", kernels="idle"), clock=Clock(RATE), **FAST)
    await limit(backend)
    session = await run(backend)
    first = await warned(backend, session.id)
    assert first.state == "running"
    assert (first.idle.action, first.idle.level) == ("suspend", "everyone")
    assert "everyone's policy" in first.progress[-1].message
    ended = await until(backend, session.id, "suspended")
    assert ended.reason.code == "IdleTimeout"
    assert "No CPU or kernel activity" in ended.reason.message
    assert not marked(session.id)
    with pytest.raises(WrongState, match="suspended, not running") as caught:
        await backend.ingress.endpoint(session.id, 0)
    assert "(idle timeout of everyone's policy)" in caught.value.hint
    assert "Resume starts it again" in caught.value.hint
    await backend.sessions.resume(session.id)
    again = await until(backend, session.id, "running")
    # A stale mark would end it at once (kubeflow#6648).
    assert (again.idle, again.kept, again.reason) == (None, None, None)
    assert await warned(backend, session.id)


async def test_whoever_works_is_left_alone(make):
    seen = Seen(cpu="busy", kernels="idle")
    backend = await make(activity=seen, clock=Clock(RATE), **FAST)
    await limit(backend)
    session = await run(backend)
    activity = await wait_for(lambda: looked(backend, session.id))
    assert {s.name: s.state for s in activity.signals} == {"cpu": "busy", "kernels": "idle"}
    assert activity.idle is None
    seen.states = {"cpu": "unknown", "kernels": "idle"}

    async def unknown() -> bool:
        return "unknown" in {s.state for s in (await looked(backend, session.id)).signals}

    await wait_for(unknown)
    assert backend.sessions.all()[0].idle is None


async def test_keeping_alive_puts_it_off_and_has_an_end(make):
    backend = await make(activity=Seen(cpu="idle"), clock=Clock(RATE), **FAST)
    await limit(backend, keep_alive="2h", keep_alives=1)
    session = await run(backend)
    await warned(backend, session.id)
    with pytest.raises(NotAllowed, match="2h"):
        await backend.policing.keep_alive(session.id, 3 * 3600)
    kept = await backend.policing.keep_alive(session.id, 0)
    assert kept.kept.times == 1
    assert kept.idle.warned is None
    assert kept.idle.acts == kept.kept.until
    activity = await backend.policing.activity(session.id)
    assert (activity.idle.warned, activity.idle.acts) == (None, kept.kept.until)
    with pytest.raises(NotAllowed, match="no further extensions"):
        await backend.policing.keep_alive(session.id, 0)
    await warned(backend, session.id)
    await until(backend, session.id, "suspended")
    with pytest.raises(WrongState):
        await backend.policing.keep_alive(session.id, 0)


async def test_whoever_does_not_end_in_time_is_told_so(make):
    backend = await make(activity=Seen(cpu="idle"), clock=Clock(RATE), **FAST)
    await limit(backend, grace=1)
    session = await run(backend, command=STUBBORN)
    ended = await until(backend, session.id, "suspended")
    assert ended.exit.signal == "SIGKILL"
    assert "was killed; unsaved data is lost" in ended.reason.message


async def test_a_longest_life_leaves_the_grace_of_the_policy_and_tells_who_was_killed(make):
    projects = [{"name": "team-a", "quota": "4", "interactive_duration": "1s"}]
    backend = await make(projects=projects, stop_grace=600.0)
    await set_policy(backend, grace=1)
    made = await launch(backend, "exp-1", gpu="0.5", command=STUBBORN)
    ended = await until(backend, made.id, "stopped")
    assert "maximum run time of team-a's policy reached." in ended.reason.message
    assert "was killed; unsaved data is lost" in ended.reason.message


async def test_notify_ends_nothing(make):
    backend = await make(activity=Seen(gpu="idle", kernels="busy"), clock=Clock(RATE), **FAST)
    await limit(backend, gpu_idle_timeout="10m")
    session = await run(backend)
    told = await warned(backend, session.id)
    assert (told.idle.rule, told.idle.action) == ("gpu_idle_timeout", "notify")
    assert told.progress[-1].message.startswith("Its GPU has been unused since")


async def test_a_controller_that_was_away_warns_again(make):
    backend = await make(activity=Seen(cpu="idle"), clock=Clock(RATE), **FAST)
    await limit(backend, idle_timeout="40m", warn_before="30m")
    session = await run(backend)
    first = await warned(backend, session.id)
    await backend.resident.close()
    backend = await make(activity=Seen(cpu="idle"), clock=Clock(RATE), **FAST)
    again = await warned(backend, session.id, first.idle.warned)
    assert again.idle.acts - again.idle.warned >= timedelta(minutes=30)
    await until(backend, session.id, "suspended")


async def test_a_wish_counts_as_far_as_it_is_allowed(make):
    seen = Seen(cpu="idle")
    backend = await make(activity=seen, clock=Clock(RATE), **FAST)
    await limit(backend, idle_timeout="10h", idle_timeout_min="20m")
    session = await run(backend, idle_timeout="20m")
    await wait_for(lambda: seen.limits)
    rules = {rule.rule: rule for rule in (await backend.policing.ruling(session.id)).rules}
    assert (rules["idle_timeout"].value, rules["idle_timeout"].level) == ("20m", "session")
    ended = await until(backend, session.id, "suspended")
    assert "the session's own setting" in ended.reason.message


async def test_what_was_seen_is_recorded_and_survives(make):
    seen = Seen(cpu="busy")
    backend = await make(activity=seen, clock=Clock(RATE), **FAST)
    session = await run(backend)

    async def look_again() -> None:
        first = await wait_for(lambda: looked(backend, session.id))

        async def again() -> bool:
            return (await looked(backend, session.id)).at > first.at

        await wait_for(again)

    await look_again()
    seen.states = {"cpu": "idle"}
    await until(backend, session.id, lambda s: s.idle)
    await look_again()  # before that the look that found it idle is recorded
    await backend.resident.close()
    backend = await make(activity=seen, clock=Clock(RATE), **FAST)
    stretches = await backend.policing.recorded(EVER)
    assert [s.idle for s in stretches] == [False, True]


async def test_who_was_suspended_is_recorded_as_who_would_be_idle_still(make):
    clock = Clock(RATE)
    backend = await make(activity=Seen(cpu="idle"), clock=clock, **FAST)
    await limit(backend)
    session = await run(backend)
    await until(backend, session.id, "suspended")

    async def recorded() -> int:
        stretches = await backend.policing.recorded(EVER)
        assert all(s.idle for s in stretches[1:])
        return stretches[-1].end

    ended = await recorded()
    await wait_for(lambda: clock.now().timestamp() > ended + 2400)
    assert await recorded() > ended


async def looked(backend, session_id):
    """Return a session's observed activity, None before the first poll."""
    activity = await backend.policing.activity(session_id)
    return activity if activity.looked else None
