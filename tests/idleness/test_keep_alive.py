"""Keeping alive: until when, and what counts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.idle.decide import keep_alive
from jupyter_gpuquota.core.idle.lifetime import extending
from jupyter_gpuquota.core.idle.policy import BUILT_IN, NO_POLICY
from jupyter_gpuquota.model.idleness import Idleness, KeptAlive
from jupyter_gpuquota.model.policy import Exemption, Policy, PolicyLevel, PolicyRules
from tests.builders import NOW, make_session

HOUR = timedelta(hours=1)


def idle(acts: timedelta) -> Idleness:
    return Idleness(since=NOW - HOUR, rule="idle_timeout", action="suspend", acts=NOW + acts)


def test_each_time_that_puts_the_end_off_counts() -> None:
    first = keep_alive(None, 3600, NOW, idle(timedelta(minutes=5)))
    assert first == KeptAlive(until=NOW + HOUR, times=1)
    assert keep_alive(first, 3600, NOW + HOUR / 2) == KeptAlive(until=NOW + 1.5 * HOUR, times=2)


def test_what_puts_nothing_off_is_not_counted() -> None:
    first = keep_alive(None, 3600, NOW, idle(2 * HOUR))
    assert first == KeptAlive(until=NOW + HOUR, times=0)
    kept = keep_alive(None, 3600, NOW)
    assert keep_alive(kept, 3600, NOW + timedelta(seconds=20)).times == 1
    assert keep_alive(kept, 60, NOW) == kept


def extended(*, session: dict[str, Any], exempt: str = "", times: int = 0, **rules: Any) -> bool:
    """Return whether keeping a running session alive would delay its end by these rules."""
    until = NOW + HOUR
    exemptions = (Exemption(who=exempt, until=until, reason="A demo."),) if exempt else ()
    levels = (PolicyLevel(level="everyone", rules=PolicyRules(**rules)),)
    policy = Policy(levels=levels, exemptions=exemptions, built_in=BUILT_IN)
    running = replace(
        make_session(state="running", **session), kept=KeptAlive(until=until, times=times)
    )
    return extending(policy, NOW)(running)


@pytest.mark.parametrize(
    ("asked", "rules", "delayed"),
    [
        ({}, {}, False),
        ({}, {"interactive_life": 3600}, False),
        ({}, {"idle_timeout": 3600}, True),
        ({"idle_timeout": 1800}, {}, True),
        ({}, {"idle_timeout": 3600, "action": "notify"}, False),
        ({}, {"gpu_idle_timeout": 3600}, False),
        ({}, {"gpu_idle_timeout": 3600, "gpu_idle_action": "stop"}, True),
        ({}, {"idle_timeout": 3600, "keep_alive": 0}, False),
        ({}, {"idle_timeout": 3600, "keep_alives": 0}, False),
        ({}, {"idle_timeout": 3600, "times": 3}, False),
        ({}, {"idle_timeout": 3600, "exempt": "project:team-a"}, False),
    ],
)
def test_only_what_the_policy_would_end_is_kept_alive(
    *, asked: dict[str, Any], rules: dict[str, Any], delayed: bool
) -> None:
    assert extended(session=asked, **rules) == delayed


def test_without_a_policy_nothing_is_kept_alive() -> None:
    assert not extending(NO_POLICY, NOW)(make_session(state="running"))
