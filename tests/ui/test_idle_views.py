"""How long a session is idle and what comes of it, in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.model.base import Page
from jupyter_gpuquota.model.idleness import Activity, Idleness, KeptAlive, Signal
from jupyter_gpuquota.model.policy import RULES, DecidedRule, SessionPolicy
from jupyter_gpuquota.model.sessions import Kind, Session
from jupyter_gpuquota.ui.views.details import SessionView
from jupyter_gpuquota.ui.views.idle import (
    KeptView,
    coming_text,
    duration_text,
    idle_text,
    policy_text,
)
from jupyter_gpuquota.ui.views.policy import ExplainView
from jupyter_gpuquota.ui.views.sessions import SessionsView
from tests.builders import NOW, make_session

SINCE = NOW - timedelta(minutes=22)
SOON = NOW + timedelta(minutes=30)


def idle_session(state: str = "running", *, kept: int = 0, **idle: Any) -> Session:
    """Return a session that is kept for some minutes, and idle if it is said how."""
    found = Idleness(**{"since": SINCE, "rule": "idle_timeout", **idle}) if idle else None
    alive = KeptAlive(until=NOW + timedelta(minutes=kept)) if kept else None
    return replace(make_session("exp-1", "0.5", state), idle=found, kept=alive)


@pytest.mark.parametrize(
    ("session", "said"),
    [
        (idle_session(), ""),
        (idle_session(level=""), "idle 22 min"),
        (
            idle_session(level="project:team-a", action="suspend", acts=SOON),
            "idle 22 min; suspends at 03:34 UTC, team-a's policy",
        ),
        (
            idle_session(level="everyone", action="stop", acts=NOW + timedelta(days=2)),
            "idle 22 min; stops at 2026-01-04 03:04 UTC, everyone's policy",
        ),
        (
            idle_session(level="session", action="suspend", acts=SOON, kept=30),
            "idle 22 min; suspends at 03:34 UTC, as it wished; kept alive until 03:34 UTC",
        ),
        (
            idle_session(
                rule="gpu_idle_timeout", level="kind:interactive", action="notify", acts=SOON
            ),
            "GPU idle 22 min; its owner is told at 03:34 UTC, the policy for interactive sessions",
        ),
        (
            idle_session(level="everyone", action="notify", acts=SINCE, warned=SINCE),
            "idle 22 min; its owner was told at 02:42 UTC, everyone's policy",
        ),
        (
            idle_session(rule="quiet_hours", level="project:team-a", action="suspend", acts=SOON),
            "idle 22 min; suspends at 03:34 UTC, team-a's policy for quiet hours",
        ),
        (idle_session(exempt=SOON), "idle 22 min; exempt until 03:34 UTC"),
        (idle_session(kept=5), "kept alive until 03:09 UTC"),
        (idle_session(kept=-5), ""),
        (idle_session("suspended", level="everyone", action="suspend", acts=SOON), ""),
        (idle_session(since=SOON), "idle"),
    ],
)
def test_what_comes_of_a_session_is_said_in_a_line(session: Session, said: str) -> None:
    assert idle_text(session, NOW) == said


def test_the_signals_say_what_did_nothing() -> None:
    session = idle_session(level="everyone", action="suspend", acts=SOON)
    signals = [Signal(name=name, state="idle", last=SINCE) for name in ("kernels", "gpu")]
    activity = Activity(session=session.id, at=NOW, signals=tuple(signals), idle=session.idle)
    assert idle_text(session, NOW, activity).startswith("idle 22 min: no kernel or GPU activity; ")
    used = replace(activity, idle=None)
    assert idle_text(session, NOW, used) == ""


@pytest.mark.parametrize(
    ("minutes", "text"), [(0, "0 min"), (59, "59 min"), (60, "1 h"), (65, "1 h 5 min")]
)
def test_a_time_is_said_in_minutes(minutes: int, text: str) -> None:
    assert duration_text(timedelta(minutes=minutes, seconds=59)) == text


def test_a_list_and_a_description_tell_of_it() -> None:
    session = idle_session(level="project:team-a", action="suspend", acts=SOON)
    used = idle_session()
    view = SessionsView(Page(items=(session, used), total=2, revision="1"), {})
    assert "suspends at 2026-01-02 03:34 UTC, team-a's policy" in view.text
    assert view.text.count("exp-1: ") == 1
    assert "<b>exp-1</b>: idle" in view.html
    assert [r["idle_acts"] for r in view.records] == [SOON, None]
    assert "activity:" in SessionView(session).text
    assert "activity:" not in SessionView(used).text


def test_the_end_of_a_longest_life_is_told() -> None:
    now = datetime.now(UTC)
    ends = now + timedelta(minutes=40)
    session = replace(idle_session(), ends=ends, ends_by="project:team-b")
    said = f"is stopped at {ends:%H:%M} UTC: longest life, team-b's policy"
    assert coming_text(session, now) == said
    assert coming_text(replace(session, ends=now + timedelta(hours=3)), now) == ""
    idle = replace(session, idle=Idleness(since=now, rule="idle_timeout"))
    assert coming_text(idle, now) == f"idle 0 min; {said}"
    view = SessionsView(Page(items=(session,), total=1, revision="1"), {})
    assert view.text.endswith(f"exp-1: {said}")
    assert view.records[0]["ends"] == ends
    assert said in SessionView(session).text
    assert "longest life" not in SessionView(replace(session, state="stopped")).text
    policy, activity = (
        SessionPolicy(session="s", rules=()),
        Activity(session="s", at=now, signals=(), looked=True),
    )
    assert ExplainView(policy, session, activity, now).text.endswith(
        f"exp-1 is not idle.\nexp-1 {said}."
    )


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("interactive", "interactive_life 4h (everyone)"),
        ("train", "train_life 1d (kind:train, locked)"),
    ],
)
def test_a_longest_life_is_part_of_what_is_done(kind: Kind, said: str) -> None:
    values = dict.fromkeys(RULES, ("never", "built-in", False))
    values["interactive_life"] = ("4h", "everyone", False)
    values["train_life"] = ("1d", "kind:train", True)
    rules = tuple(
        DecidedRule(rule=rule, value=value, level=level, locked=locked)
        for rule, (value, level, locked) in values.items()
    )
    assert policy_text(SessionPolicy(session="s", rules=rules), kind) == said


def test_nobody_is_told_of_a_time_that_is_over() -> None:
    assert KeptView(idle_session(kept=-5), NOW).text == "exp-1 is not kept alive."
