"""What becomes of a session, look by look: the cases of `cases.yaml`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import yaml

from jupyter_gpuquota.core.idle.decide import Reading, keep_alive, observe, resume
from jupyter_gpuquota.core.idle.policy import rule_for, subject_of
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.model.policy import Policy, PolicyRequest
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.model.spans import parse_span
from tests.builders import make_session
from tests.each import each

CASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8")
)
MINUTE = timedelta(minutes=1)
MINUTES = 700
BEGINS = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # a Monday


@each(CASES, lambda case: case["case"])
def test_case(case: dict[str, Any]) -> None:
    assert play(case) == case["then"]


def test_every_case_says_something_else() -> None:
    names = [case["case"] for case in CASES]
    assert len(names) == len(set(names)) >= 40


def play(case: dict[str, Any]) -> dict[int, str]:
    """Return what happens to the session of a case, until it is acted on."""
    begins = case.get("begins", BEGINS)
    session, policy = session_of(case), policy_of(case, begins)
    track, states = resume(None, None, begins), {}
    happened: dict[int, str] = {}
    back = case.get("back", {})
    offset = 0
    for minute in range(MINUTES):
        offset -= back.get(minute, 0)
        now = begins + (minute + offset) * MINUTE
        states.update(case["sees"].get(minute, {}))
        if span := case.get("keep", {}).get(minute):
            kept = keep_alive(track.kept, span * 60, now)
            track = replace(track, kept=kept)
        if "away" in case and case["away"][0] <= minute < case["away"][1]:
            continue
        ruling = rule_for(policy, subject_of(session), None, now)
        track, event = observe(track, readings(case, states, now, begins), ruling, now, MINUTE)
        if event:
            happened[minute] = event
        if event == "act":
            break
    return happened


def session_of(case: dict[str, Any]) -> Session:
    wish = parse_span(case["wish"]) if "wish" in case else None
    return make_session("exp-1", "0.5", "running", idle_timeout=wish)


def policy_of(case: dict[str, Any], begins: datetime) -> Policy:
    asked = {"everyone": "policy", "project:team-a": "project", "kind:interactive": "kind"}
    exempt = case.get("exempt", 0)
    until = (begins + exempt * MINUTE).isoformat()
    request = {
        "levels": [
            {"level": level, "rules": case[key]} for level, key in asked.items() if key in case
        ],
        "exemptions": [{"who": "user:me", "until": until, "reason": "A demo."}] if exempt else [],
    }
    return check_policy(msgspec.convert(request, PolicyRequest), ["team-a"], every=30)


def readings(
    case: dict[str, Any], states: dict[str, Any], now: datetime, begins: datetime
) -> list[Reading]:
    return [
        Reading(
            name=name,
            state=state,
            last=_time(case.get("active", {}).get(name), now, begins),
            claimed=_time(case.get("claims", {}).get(name), now, begins),
        )
        for name, state in states.items()
    ]


def _time(minute: int | str | None, now: datetime, begins: datetime) -> datetime | None:
    if minute is None:
        return None
    return now if minute == "always" else min(now, begins + int(minute) * MINUTE)
