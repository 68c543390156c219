"""What holds of idle sessions, whatever is seen of them and whatever the policy is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.idle.decide import Event, Reading, Track, keep_alive, observe, resume
from jupyter_gpuquota.core.idle.policy import rule_for, subject_of
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.model.policy import Policy, PolicyRequest
from tests.builders import NOW, make_session

MINUTE = timedelta(minutes=1)
SESSION = make_session("exp-1", "0.5", "running")
SIGNALS = ("kernels", "terminals", "presence", "cpu", "gpu", "process")

states = st.sampled_from(["idle"] * 8 + ["busy", "unknown"])
looks = st.dictionaries(st.sampled_from(SIGNALS), states, max_size=6)
# Minutes until a look, mostly one: longer ones are those of a controller that was away.
steps = st.tuples(st.sampled_from([1] * 12 + [5, 90, -7]), looks)
days = st.lists(steps, max_size=120)
timeouts = st.integers(2, 60)
rules = st.fixed_dictionaries(
    {
        "warn_before": st.integers(0, 120).map(lambda s: s * 10),
        "action": st.sampled_from(["suspend", "stop", "notify"]),
        "gpu_idle_action": st.sampled_from(["suspend", "stop", "notify"]),
    }
)
keeps = st.sets(st.integers(0, 120), max_size=3)


def policy_of(**settings: Any) -> Policy:
    warn = settings.get("warn_before", 0)
    for timeout in ("idle_timeout", "gpu_idle_timeout"):
        if settings.get(timeout):
            settings[timeout] = max(settings[timeout] * 60, warn)
    request = {"levels": [{"level": "everyone", "rules": settings}]}
    return check_policy(msgspec.convert(request, PolicyRequest), [], every=30)


def play(
    policy: Policy, day: Sequence[tuple[int, dict[Any, Any]]], kept: set[int] = frozenset()
) -> Iterator[tuple[datetime, Track, Event, dict[Any, Any]]]:
    """Yield what every look leads to, until the session is acted on."""
    now, track = NOW, resume(None, None, NOW)
    for i, (minutes, seen) in enumerate(day):
        now += minutes * MINUTE
        if i in kept:
            track = replace(track, kept=keep_alive(track.kept, 3600, now))
        readings = [Reading(name=name, state=state) for name, state in seen.items()]
        track, event = observe(
            track, readings, rule_for(policy, subject_of(SESSION), None, now), now, MINUTE
        )
        yield now, track, event, seen
        if event == "act":
            return


@given(day=days, idle=timeouts, gpu=st.integers(0, 60), rest=rules, kept=keeps)
def test_nothing_is_ended_without_a_warning_that_stood_long_enough(
    day: Any, idle: int, gpu: int, rest: dict[str, Any], kept: set[int]
) -> None:
    policy = policy_of(idle_timeout=idle, gpu_idle_timeout=gpu, **rest)
    warned, before = None, None
    for now, track, event, _ in play(policy, day, kept):
        away = before is not None and not (timedelta() <= now - before <= 3 * MINUTE)
        before = now
        if event == "warn":
            warned = now
        elif away or track.idle is None:
            warned = None
        if event == "act":
            assert warned is not None
            assert now - warned >= timedelta(seconds=rest["warn_before"])


@given(day=days, idle=timeouts, gpu=st.integers(0, 60), rest=rules)
def test_nothing_is_ended_while_a_signal_is_busy_or_unknown(
    day: Any, idle: int, gpu: int, rest: dict[str, Any]
) -> None:
    policy = policy_of(idle_timeout=idle, gpu_idle_timeout=gpu, **rest)
    for _, track, event, seen in play(policy, day):
        if event == "act":
            assert track.idle is not None
            if track.idle.rule == "gpu_idle_timeout":
                assert seen["gpu"] == "idle"
            else:
                assert seen
                assert set(seen.values()) == {"idle"}


@given(day=days, short=timeouts, more=st.integers(0, 60), warn=st.integers(0, 12))
def test_the_shorter_of_two_timeouts_never_acts_later(
    day: Any, short: int, more: int, warn: int
) -> None:
    ends = []
    for timeout in (max(short, warn), max(short, warn) + more):
        policy = policy_of(idle_timeout=timeout, warn_before=warn * 60)
        acted = [now for now, _, event, _ in play(policy, day) if event == "act"]
        ends.append(acted[0] if acted else None)
    assert ends[1] is None or (ends[0] is not None and ends[0] <= ends[1])


@given(day=days, idle=timeouts, rest=rules)
def test_what_was_announced_is_not_hurried(day: Any, idle: int, rest: dict[str, Any]) -> None:
    announced = None
    for now, track, event, _ in play(policy_of(idle_timeout=idle, **rest), day):
        if event == "warn":
            announced = track.idle.acts if track.idle else None
        if event == "act":
            assert announced is not None
            assert now >= announced


@given(day=days, idle=timeouts, rest=rules)
def test_the_same_looks_lead_to_the_same(day: Any, idle: int, rest: dict[str, Any]) -> None:
    policy = policy_of(idle_timeout=idle, **rest)
    assert list(play(policy, day)) == list(play(policy, day))
