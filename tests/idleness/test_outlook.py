"""What applying a policy does to running sessions in the next hour."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.idle.decide import Reading, Track, observe, resume
from jupyter_gpuquota.core.idle.outlook import soon, with_soon
from jupyter_gpuquota.core.idle.policy import NO_POLICY, rule_for, subject_of
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.model.idleness import SignalState
from jupyter_gpuquota.model.policy import Policy, PolicyRequest
from jupyter_gpuquota.model.policy_trial import PolicyTrial, TrialSoon
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_project, make_session

MINUTE = timedelta(minutes=1)
EVERY = timedelta(seconds=30)


def policy(**rules: Any) -> Policy:
    request = {"levels": [{"level": "everyone", "rules": rules}]}
    return check_policy(msgspec.convert(request, PolicyRequest), [])


def running(name: str, hours: int = 2) -> Session:
    session = make_session(name, "1", "running")
    return msgspec.structs.replace(session, started=NOW - timedelta(hours=hours))


def track(
    idle: int, gpu: int | None = None, by: Policy = NO_POLICY, name: str = "exp-1"
) -> tuple[Session, Track]:
    """Return a session observed until now under a policy; minutes since its use, of its GPU's."""
    session = running(name)
    found = resume(None, None, NOW - 200 * MINUTE)
    for minute in range(200, -1, -1):
        now = NOW - minute * MINUTE
        ruling = rule_for(by, subject_of(session), None, now)
        found, _ = observe(found, _readings(minute, idle, gpu), ruling, now, MINUTE)
    return session, found


def _readings(minute: int, idle: int, gpu: int | None) -> list[Reading]:
    def state(since: int) -> SignalState:
        return "idle" if minute < since else "busy"

    kernels = Reading(name="kernels", state=state(idle))
    return [kernels] if gpu is None else [kernels, Reading(name="gpu", state=state(gpu))]


def outlook(
    known: Sequence[tuple[Session, Track]], after: Policy, before: Policy = NO_POLICY
) -> tuple[TrialSoon, ...]:
    return soon(known, before, after, {}, NOW, EVERY)


def minutes(moment: datetime | None) -> float | None:
    return None if moment is None else (moment - NOW) / MINUTE


def test_who_is_idle_for_long_is_warned_at_once_and_ended_after_the_warning() -> None:
    (found,) = outlook([track(120)], policy(idle_timeout="1h", warn_before="10m"))
    assert (minutes(found.warned), minutes(found.at), found.action) == (0, 10, "suspend")
    assert (found.at_before, found.action_before) == (None, None)


def test_who_is_idle_for_a_while_is_warned_later() -> None:
    (found,) = outlook([track(20)], policy(idle_timeout="1h", warn_before="10m", action="stop"))
    assert (minutes(found.warned), minutes(found.at), found.action) == (30, 40, "stop")


@pytest.mark.parametrize(
    "rules", [{"idle_timeout": "3h"}, {"grace": "2m"}, {"idle_timeout": "1h", "action": "notify"}]
)
def test_what_changes_nothing_within_an_hour_is_not_listed(rules: dict[str, Any]) -> None:
    before = policy(idle_timeout="1h", action="notify") if "action" in rules else NO_POLICY
    assert outlook([track(90, by=before)], policy(**rules), before) == ()


def test_who_is_busy_or_not_observed_yet_is_not_listed() -> None:
    strict = policy(idle_timeout="10m", warn_before="1m")
    unseen = running("new"), resume(None, None, NOW)
    assert outlook([track(0), unseen], strict) == ()


def test_who_is_spared_is_listed_last() -> None:
    before = policy(idle_timeout="3h", warn_before="10m")
    known = [track(150, by=before), track(120, gpu=150, by=before, name="exp-2")]
    after = policy(gpu_idle_timeout="1h", gpu_idle_action="notify")
    first, last = outlook(known, after, before)
    assert (first.session, first.action, first.at_before and minutes(first.at_before)) == (
        "id-exp-2",
        "notify",
        60,
    )
    assert (last.session, last.at, last.action, last.warned) == ("id-exp-1", None, None, None)
    assert (minutes(last.at_before), last.action_before) == (30, "suspend")


def test_a_maximum_run_time_ends_sessions_too() -> None:
    known = [track(0)]
    (found,) = outlook(known, policy(interactive_life="1h"))
    assert (minutes(found.warned), minutes(found.at), found.action) == (0, 10, "stop")
    assert outlook(known, policy(train_life="1h")) == ()
    team = make_project("team-a", interactive_duration=3600)
    by_project = soon(known, NO_POLICY, policy(grace="2m"), {"team-a": team}, NOW, EVERY)
    assert by_project == ()


@given(st.integers(0, 190), st.integers(2, 120), st.integers(1, 30))
def test_it_is_what_the_live_rule_does(idle: int, timeout: int, ahead: int) -> None:
    after = policy(idle_timeout=f"{timeout}m", warn_before=f"{min(ahead, timeout)}m")
    session, known = track(idle)
    ends = _played(session, known, after)
    found = outlook([(session, known)], after)
    assert [minutes(each.at) for each in found] == ([] if ends is None else [ends])


def _played(session: Session, known: Track, after: Policy) -> int | None:
    """Return the minute in which the live rule ends a session that is not used again."""
    for minute in range(61):
        now = NOW + minute * MINUTE
        ruling = rule_for(after, subject_of(session), None, now)
        readings = [Reading(name=s.name, state=s.state) for s in known.signals]
        known, event = observe(known, readings, ruling, now, MINUTE)
        if event == "act":
            return minute
    return None


def test_it_is_told_in_words() -> None:
    trial = PolicyTrial(message="", since=NOW, until=NOW, sessions=1, seconds=60)
    strict = policy(idle_timeout="1h", warn_before="10m")
    both = [track(120), track(130, name="exp-2")]
    ends = with_soon(trial, outlook(both, strict))
    clock = f"{NOW + 10 * MINUTE:%H:%M} UTC"
    assert ends.message == f"Applied now, it ends 2 sessions within an hour, the first at {clock}."
    spared = with_soon(trial, outlook([track(120, by=strict)], NO_POLICY, strict))
    assert spared.message == "1 session is no longer ended within an hour."
    none = with_soon(trial, outlook(both, NO_POLICY))
    assert none.message == "Applied now, it affects no session within an hour."
    assert [sentence.key for sentence in none.sentences] == ["trial.soon.none"]
