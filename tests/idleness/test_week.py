"""A policy replayed over what was recorded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any, Literal

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.idle.decide import Reading, observe, resume
from jupyter_gpuquota.core.idle.policy import Ruling, Subject, rule_for
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.core.idle.replay import Stretch, end_of, ended, summary
from jupyter_gpuquota.model.policy import Policy, PolicyRequest

BEGINS = int(datetime(2026, 1, 5, 9, 0, tzinfo=UTC).timestamp())  # a Monday
RULES = {"idle_timeout": "30m", "warn_before": "10m"}
MINUTE = timedelta(minutes=1)


def stretch(
    begin: int, end: int, *, idle: bool, gpu: Literal["", "idle", "busy"] = "", name: str = "s1"
) -> Stretch:
    """Make a stretch; times are minutes."""
    subject = Subject(name, "ana", "team-a", "interactive")
    return Stretch(subject, BEGINS + begin * 60, BEGINS + end * 60, idle, gpu)


def policy(exemptions: Any = (), **rules: Any) -> Policy:
    levels = [{"level": "everyone", "rules": {**RULES, **rules}}]
    request = {"levels": levels, "exemptions": exemptions}
    return check_policy(msgspec.convert(request, PolicyRequest), [])


def end(stretches: list[Stretch], found: Policy) -> int | None:
    """Return the minute in which a session would have been ended."""

    def rule(subject: Subject, now: datetime) -> Ruling:
        return rule_for(found, subject, None, now)

    at = end_of(stretches, rule)
    return at and int(at.timestamp() - BEGINS) // 60


def time(minute: int) -> datetime:
    return datetime.fromtimestamp(BEGINS + minute * 60, UTC)


def test_what_is_idle_for_long_enough_is_ended() -> None:
    night = [stretch(0, 60, idle=False), stretch(60, 900, idle=True)]
    assert end(night, policy()) == 90
    assert end(night, policy(idle_timeout="2h")) == 180
    assert end(night, policy(idle_timeout="20h")) is None


def test_a_short_pause_is_none() -> None:
    assert end([stretch(0, 29, idle=True), stretch(29, 90, idle=False)], policy()) is None


def test_what_was_not_recorded_is_not_idle() -> None:
    assert end([stretch(0, 20, idle=True), stretch(200, 220, idle=True)], policy()) is None


def test_a_notice_ends_nothing() -> None:
    assert end([stretch(0, 600, idle=True)], policy(action="notify")) is None


def test_the_gpu_has_a_rule_of_its_own() -> None:
    day = [stretch(0, 300, idle=False, gpu="idle"), stretch(300, 310, idle=False, gpu="busy")]
    assert end(day, policy(gpu_idle_timeout="1h", gpu_idle_action="suspend")) == 60


def test_an_exemption_counts_until_it_expires() -> None:
    until = time(100).isoformat()
    exempt = policy([{"who": "user:ana", "until": until, "reason": "A demo."}])
    assert end([stretch(0, 600, idle=True)], exempt) == 110


def test_each_session_counts_once() -> None:
    days = [stretch(0, 60, idle=True), stretch(60, 90, idle=False), stretch(90, 300, idle=True)]
    days += [stretch(0, 60, idle=True, name="s2"), stretch(0, 9, idle=True, name="s3")]
    assert ended(days, policy(), []) == 2


def test_it_is_one_sentence_about_the_recorded_time() -> None:
    day = [stretch(10, 60, idle=True), stretch(12, 20, idle=True, name="s2")]
    week = summary([*day, stretch(10, 60, idle=True, name="s3")], policy(), [], time(7 * 1440 + 10))
    assert week.text == "It would have ended 2 idle sessions in the last 7 days."
    part = summary(day, policy(), [], time(2 * 1440 + 70))
    assert part.text == (
        "It would have ended 1 idle session in the last 2 d 1 h (no earlier activity is recorded)."
    )
    assert summary([], policy(), [], time(0)).text == "No activity is recorded yet."


@given(
    day=st.lists(st.tuples(st.booleans(), st.integers(1, 70)), min_size=1, max_size=9),
    timeout=st.integers(2, 60),
    ahead=st.integers(1, 60),
)
def test_it_is_what_the_live_rule_does(
    day: list[tuple[bool, int]], timeout: int, ahead: int
) -> None:
    found = policy(idle_timeout=f"{timeout}m", warn_before=f"{min(ahead, timeout)}m")
    minutes = [idle for idle, count in day for _ in range(count)]
    stretches, begin = [], 0
    for idle, own in groupby(minutes):
        until = begin + len(list(own))
        stretches.append(stretch(begin, until, idle=idle))
        begin = until
    live = _observed(minutes, found)
    replayed = end(stretches, found)
    assert replayed == live


def test_without_time_to_warn_the_live_rule_ends_at_its_next_look() -> None:
    found = policy(idle_timeout="2m", warn_before="0m")
    assert end([stretch(0, 9, idle=True)], found) == 2
    assert _observed([True] * 9, found) == 3


def _observed(day: list[bool], found: Policy) -> int | None:
    """Return the minute in which the live rule ends a session that is observed every minute."""
    track, used = resume(None, None, time(0)), None
    subject = Subject("s1", "ana", "team-a", "interactive")
    for minute, idle in enumerate(day):
        used = used if idle else time(minute + 1)  # until the end of the minute
        readings = [Reading(name="kernels", state="idle" if idle else "busy", last=used)]
        ruling = rule_for(found, subject, None, time(minute))
        track, event = observe(track, readings, ruling, time(minute), MINUTE)
        if event == "act":
            return minute
    return None
