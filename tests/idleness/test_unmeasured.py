"""Sessions that cannot be ended for being idle, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.core.idle.decide import Reading, observe, resume, unmeasured
from jupyter_gpuquota.core.idle.policy import rule_for, subject_of
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.model.idleness import SignalState
from jupyter_gpuquota.model.policy import PolicyRequest
from tests.builders import NOW, make_session

MINUTE = timedelta(minutes=1)
SCREEN: dict[str, SignalState] = {"gpu": "unknown", "cpu": "idle"}
EXEMPT = {"who": "user:me", "until": f"{NOW + 60 * MINUTE:%FT%RZ}", "reason": "A demo."}


@pytest.mark.parametrize(
    ("looks", "said"),
    [
        ([SCREEN, SCREEN], "Why gpu."),
        ([SCREEN], ""),  # the next look may tell
        ([SCREEN, {"gpu": "idle", "cpu": "idle"}], ""),
        ([{"gpu": "unknown", "cpu": "busy"}] * 2, ""),  # it works
        ([{"cpu": "unknown"}, {"gpu": "unknown"}], ""),
    ],
)
def test_a_signal_that_stays_unknown_is_said_of_a_session_that_does_nothing(
    looks: list[Mapping[str, SignalState]], said: str
) -> None:
    assert unmeasured_of(looks, idle_timeout="2h") == said


@pytest.mark.parametrize(
    "policy", [{"idle_timeout": "2h", "exemptions": [EXEMPT]}, {"grace": "2m"}]
)
def test_nothing_is_said_where_nothing_would_end_it(policy: dict[str, Any]) -> None:
    assert unmeasured_of([SCREEN, SCREEN], **policy) == ""


def unmeasured_of(
    looks: list[Mapping[str, SignalState]], exemptions: Sequence[Any] = (), **rules: str
) -> str:
    levels = [{"level": "everyone", "rules": rules}]
    request = {"levels": levels, "exemptions": exemptions}
    policy = check_policy(msgspec.convert(request, PolicyRequest), ())
    session, now, track = make_session(state="running"), NOW, resume(None, None, NOW)
    for look in looks:
        now += MINUTE
        ruling = rule_for(policy, subject_of(session), None, now)
        readings = [Reading(name, state, detail=f"Why {name}.") for name, state in look.items()]
        before, (track, _) = track, observe(track, readings, ruling, now, MINUTE)
    return unmeasured(before, track, ruling)
