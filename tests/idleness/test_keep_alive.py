"""Keeping alive: until when, and what counts."""

from __future__ import annotations

from datetime import timedelta

from jupyter_gpuquota.core.idle.decide import keep_alive
from jupyter_gpuquota.model.idleness import Idleness, KeptAlive
from tests.builders import NOW

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
