"""What the policy comes to for a session, and which level is said to have decided it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.idle.policy import NO_POLICY, Ruling, rule_for, subject_of
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.model.policy import RULES, DecidedRule, Policy, PolicyRequest
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_project, make_session


def policy_of(*levels: tuple[str, dict[str, Any]], **more: Any) -> Policy:
    made = [{"level": level, "rules": rules} for level, rules in levels]
    return check_policy(msgspec.convert({"levels": made, **more}, PolicyRequest), ["team-a"])


def ruling(
    policy: Policy, *, now: datetime = NOW, project: Project | None = None, **spec: Any
) -> Ruling:
    return rule_for(policy, subject_of(session_of(**spec)), project, now)


def session_of(**spec: Any) -> Session:
    return make_session("exp-1", "0.5", "running", **spec)


def decided(found: Ruling, rule: str) -> DecidedRule:
    return next(each for each in found.rules if each.rule == rule)


def test_every_rule_is_explained_though_nothing_is_set() -> None:
    found = ruling(NO_POLICY)
    assert [each.rule for each in found.rules] == list(RULES)
    assert {each.level for each in found.rules} == {"built-in"}
    assert decided(found, "idle_timeout").value == "never"
    assert decided(found, "idle_timeout_max").value == "same as the idle timeout"
    assert (found.limits.idle_timeout, found.exempt) == (0, None)


def test_the_strongest_level_that_sets_a_rule_decides_it() -> None:
    policy = policy_of(
        ("everyone", {"idle_timeout": "4h", "warn_before": "20m", "grace": "2m"}),
        ("project:team-a", {"idle_timeout": "3h", "warn_before": "15m"}),
        ("kind:interactive", {"idle_timeout": "2h"}),
    )
    found = ruling(policy)
    said = [(rule, decided(found, rule)) for rule in ("idle_timeout", "warn_before", "grace")]
    assert [(rule, each.value, each.level) for rule, each in said] == [
        ("idle_timeout", "2h", "kind:interactive"),
        ("warn_before", "15m", "project:team-a"),
        ("grace", "2m", "everyone"),
    ]
    assert found.limits.idle_timeout == 7200
    assert decided(ruling(policy, kind="train"), "idle_timeout").level == "project:team-a"


@pytest.mark.parametrize(
    ("wish", "value", "level", "noted"),
    [
        (None, "2h", "everyone", False),
        (3600, "1h", "session", False),
        (10_800, "3h", "session", False),
        (20_000, "4h", "everyone", True),
        (60, "30m", "everyone", True),
        (0, "4h", "everyone", True),
    ],
)
def test_a_wish_counts_between_the_least_and_the_most(
    wish: int | None, value: str, level: str, *, noted: bool
) -> None:
    rules = {"idle_timeout": "2h", "idle_timeout_min": "30m", "idle_timeout_max": "4h"}
    found = decided(ruling(policy_of(("everyone", rules)), idle_timeout=wish), "idle_timeout")
    assert (found.value, found.level, bool(found.note)) == (value, level, noted)


def test_a_wish_that_is_capped_names_who_caps_it() -> None:
    levels = (("everyone", {"idle_timeout": "2h"}), ("project:team-a", {"idle_timeout_max": "1h"}))
    wish = ruling(policy_of(*levels), idle_timeout=10_800)
    found = decided(wish, "idle_timeout")
    assert (found.value, found.level) == ("1h", "project:team-a")
    assert found.note == "The session requested 3h, which idle_timeout_max does not allow."
    found = decided(ruling(policy_of(levels[0]), idle_timeout=10_800), "idle_timeout")
    assert (found.value, found.level) == ("2h", "everyone")


def test_without_a_most_a_wish_only_makes_it_shorter() -> None:
    policy = policy_of(("everyone", {"idle_timeout": "2h"}))
    assert decided(ruling(policy, idle_timeout=10_800), "idle_timeout").value == "2h"
    assert decided(ruling(policy, idle_timeout=600), "idle_timeout").value == "10m"
    assert decided(ruling(NO_POLICY, idle_timeout=600), "idle_timeout").value == "10m"


def test_a_session_may_ask_to_be_stopped() -> None:
    found = ruling(NO_POLICY, idle_timeout=600, stop_when_idle=True)
    assert (decided(found, "action").level, found.limits.action) == ("session", "stop")
    assert ruling(NO_POLICY, idle_timeout=600).limits.action == "suspend"
    policy = policy_of(("everyone", {"action": "suspend"}))
    assert ruling(policy, idle_timeout=600, stop_when_idle=True).limits.action == "stop"


@pytest.mark.parametrize(
    ("rules", "warning"),
    [
        ({"idle_timeout": "2h"}, "10m"),
        ({"idle_timeout": "5m"}, "2m30s"),
        ({"idle_timeout": "5m", "action": "notify"}, "10m"),
        ({"gpu_idle_timeout": "5m"}, "10m"),
        ({"idle_timeout": "2h", "gpu_idle_timeout": "6m", "gpu_idle_action": "stop"}, "3m"),
        ({"keep_alive": "5m"}, "5m"),
        ({"keep_alive": "5m", "keep_alives": 0}, "10m"),
        ({"idle_timeout": "5m", "warn_before": "5m"}, "5m"),
    ],
)
def test_only_the_built_in_warning_adapts_to_what_is_set(
    rules: dict[str, Any], warning: str
) -> None:
    found = decided(ruling(policy_of(("everyone", rules))), "warn_before")
    level = "everyone" if "warn_before" in rules else "built-in"
    assert (found.value, found.level) == (warning, level)


def test_the_longest_exemption_that_holds_is_told() -> None:
    exemptions = [
        {"who": who, "until": until, "reason": who}
        for who, until in (
            ("user:me", "2026-01-03T00:00Z"),
            ("project:team-a", "2026-01-05T00:00Z"),
            ("session:id-exp-1", "2026-01-01T00:00Z"),
            ("user:ana", "2027-01-01T00:00Z"),
        )
    ]
    policy = policy_of(exemptions=exemptions)
    found = ruling(policy).exempt
    assert found is not None
    assert found.who == "project:team-a"
    assert ruling(policy, now=datetime(2026, 2, 1, tzinfo=UTC)).exempt is None


def test_a_projects_own_bound_counts_until_the_policy_sets_one() -> None:
    own = make_project(interactive_duration=3600)
    found = decided(ruling(NO_POLICY, project=own), "interactive_life")
    assert (found.value, found.level) == ("1h", "project:team-a")
    policy = policy_of(("project:team-a", {"interactive_life": "2h"}))
    assert decided(ruling(policy, project=own), "interactive_life").value == "2h"


spans = st.one_of(st.none(), st.integers(20, 500).map(lambda minutes: minutes * 60))
bounded = st.fixed_dictionaries({"idle_timeout": spans, "idle_timeout_max": spans})


@given(
    everyone=bounded,
    project=bounded,
    wish=st.one_of(st.none(), st.integers(0, 40_000)),
)
def test_what_is_explained_is_what_holds(
    everyone: dict[str, Any], project: dict[str, Any], wish: int | None
) -> None:
    policy = policy_of(("everyone", everyone), ("project:team-a", project))
    found = ruling(policy, idle_timeout=wish)
    told = decided(found, "idle_timeout")
    shown = policy_of(
        ("everyone", {"idle_timeout": told.value.replace("never", "0"), "action": "notify"})
    )
    assert shown.levels[0].rules.idle_timeout == found.limits.idle_timeout
    assert told.level == found.level("idle_timeout")
    if wish is None:
        assert told.level != "session"
    if told.level == "session" and not told.note:
        assert found.limits.idle_timeout == wish
