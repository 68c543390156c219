"""A policy played over what was recorded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from jupyter_gpuquota.core.idle.backtest import compare
from jupyter_gpuquota.core.idle.policy import Subject, rule_for
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.core.idle.replay import Stretch, play
from jupyter_gpuquota.model.policy import Policy, PolicyRequest
from jupyter_gpuquota.model.policy_trial import TrialAct

BEGINS = int(datetime(2026, 1, 5, 9, 0, tzinfo=UTC).timestamp())  # a Monday
RULES = {"idle_timeout": "30m", "warn_before": "10m"}


def stretch(
    begin: int, end: int, *, idle: bool, gpu: Literal["", "idle", "busy"] = "", name: str = "s1"
) -> Stretch:
    """Make a stretch; times are minutes."""
    subject = Subject(name, "ana", "team-a", "interactive")
    return Stretch(subject, 500, BEGINS + begin * 60, BEGINS + end * 60, idle, gpu)


def policy(**rules: Any) -> Policy:
    request = {"levels": [{"level": "everyone", "rules": {**RULES, **rules}}]}
    return check_policy(msgspec.convert(request, PolicyRequest), [])


def acts(stretches: list[Stretch], **rules: Any) -> list[TrialAct]:
    found = policy(**rules)
    return play(stretches, lambda subject, now: rule_for(found, subject, None, now))


def minute(moment: datetime) -> int:
    return int(moment.timestamp() - BEGINS) // 60


def test_a_night_is_given_back() -> None:
    (act,) = acts([stretch(0, 60, idle=False), stretch(60, 900, idle=True)])
    assert (minute(act.at), act.action, act.again) == (90, "suspend", None)
    assert act.returned == 500 * (900 - 90) // 60


def test_what_is_used_again_within_an_hour_was_a_false_alarm() -> None:
    day = [stretch(0, 60, idle=True), stretch(60, 90, idle=False), stretch(90, 300, idle=True)]
    first, second = acts(day)
    assert (minute(first.at), first.false_alarm) == (30, True)
    assert first.again
    assert minute(first.again) == 60
    assert first.returned == 500 * 30 // 60
    assert (minute(second.at), second.false_alarm) == (120, False)


def test_a_short_pause_is_none() -> None:
    assert acts([stretch(0, 29, idle=True), stretch(29, 90, idle=False)]) == []


def test_what_was_not_recorded_is_not_idle() -> None:
    assert acts([stretch(0, 20, idle=True), stretch(200, 220, idle=True)]) == []


def test_a_longer_timeout_gives_back_less() -> None:
    day = [stretch(0, 600, idle=True)]
    (short,), (long,) = acts(day), acts(day, idle_timeout="2h")
    assert long.at > short.at
    assert long.returned < short.returned


def test_notices_give_nothing_back_and_come_once() -> None:
    (act,) = acts([stretch(0, 600, idle=True)], action="notify")
    assert (minute(act.at), act.action, act.returned) == (30, "notify", 0)


def test_the_gpu_has_a_rule_of_its_own() -> None:
    day = [stretch(0, 300, idle=False, gpu="idle"), stretch(300, 310, idle=False, gpu="busy")]
    (act,) = acts(day, gpu_idle_timeout="1h", gpu_idle_action="suspend")
    assert (minute(act.at), act.rule) == (60, "gpu_idle_timeout")
    assert act.again
    assert minute(act.again) == 300


def test_quiet_hours_count() -> None:
    quiet = [{"begin": "12:00", "end": "13:00", "zone": "UTC", "idle_timeout": "10m"}]
    (act,) = acts([stretch(0, 600, idle=True)], idle_timeout="8h", quiet_hours=quiet)
    assert 180 <= minute(act.at) <= 180 + 15 + 10


def test_sessions_do_not_mix() -> None:
    found = acts([stretch(0, 60, idle=True), stretch(0, 60, idle=True, name="s2")])
    assert [act.session for act in found] == ["s1", "s2"]


def test_two_policies_are_compared_by_project() -> None:
    day = [stretch(0, 60, idle=True), stretch(60, 90, idle=False), stretch(90, 300, idle=True)]
    since, until = (datetime.fromtimestamp(BEGINS + m * 60, UTC) for m in (0, 300))
    found = compare(day, policy(), policy(idle_timeout="2h"), [], since, until)
    (team,) = found.projects
    assert (team.acts_before, team.false_alarms_before) == (2, 1)
    assert (team.acts, team.false_alarms) == (1, 0)
    assert team.returned == 500 * 90 // 60
    assert "Sessions ended: 1 (0 premature: used again within 1 h)" in found.message
    assert (found.sessions, found.seconds, found.count) == (1, 300 * 60, 1)


def test_what_changes_nothing_is_said_to() -> None:
    night = [stretch(0, 60, idle=False), stretch(60, 900, idle=True)]
    since, until = (datetime.fromtimestamp(BEGINS + m * 60, UTC) for m in (0, 900))
    found = compare(night, policy(), policy(keep_alives=1), [], since, until)
    assert found.message == "Based on 15 h of recorded activity of 1 session. No difference."
    assert [(sum_.acts_before, sum_.acts) for sum_ in found.projects] == [(1, 1)]
    stops = compare(night, policy(), policy(action="stop"), [], since, until)
    assert "Sessions ended: 1 " in stops.message
    never = policy(idle_timeout=0)
    none = compare(night, never, never, [], since, until)
    assert none.message.endswith("of 1 session. No session would have been ended.")


def test_it_says_on_how_much_it_is_based() -> None:
    day = [
        stretch(10, 15, idle=True),
        stretch(12, 20, idle=True, name="s2"),
        stretch(60, 65, idle=True),
    ]
    since, until = (datetime.fromtimestamp(BEGINS + m * 60, UTC) for m in (-9000, 70))
    found = compare(day, policy(), policy(), [], since, until)
    assert found.message.startswith("Based on 15 min of recorded activity of 2 sessions.")
    assert (found.recorded, found.seconds) == (15 * 60, 18 * 60)
    assert (minute(found.since), minute(found.until)) == (10, 70)
    cut = compare(day, policy(), policy(), [], until, until)
    assert cut.since == until
    nothing = compare([], policy(), policy(), [], since, until)
    assert (nothing.since, nothing.recorded) == (since, 0)
    assert nothing.message.startswith("No activity recorded yet.")


def test_without_a_record_it_says_so() -> None:
    now = datetime.fromtimestamp(BEGINS, UTC)
    assert "No activity recorded" in compare([], policy(), policy(), [], now, now).message


def test_who_would_only_be_told_is_counted_apart() -> None:
    day = [stretch(0, 300, idle=True)]
    now = datetime.fromtimestamp(BEGINS, UTC)
    found = compare(day, policy(), policy(action="notify"), [], now, now)
    (team,) = found.projects
    assert (team.acts_before, team.acts, team.returned) == (1, 0, 0)
    assert found.message.endswith("Notices to owners: 1.")
