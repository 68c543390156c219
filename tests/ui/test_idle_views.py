"""Texts about idle sessions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.model.idleness import Activity, Idleness, KeptAlive, Signal
from jupyter_gpuquota.model.policy import RULES, DecidedRule, SessionPolicy
from jupyter_gpuquota.model.sessions import Kind, Session
from jupyter_gpuquota.model.struct import Page
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
    """Return a session that is idle as given, and kept alive for some minutes."""
    found = Idleness(**{"since": SINCE, "rule": "idle_timeout", **idle}) if idle else None
    alive = KeptAlive(until=NOW + timedelta(minutes=kept)) if kept else None
    return replace(make_session("exp-1", "0.5", state), idle=found, kept=alive)


@pytest.mark.parametrize(
    ("session", "said"),
    [
        (idle_session(), ""),
        (idle_session(level=""), "idle for 22 min"),
        (
            idle_session(level="project:team-a", action="suspend", acts=SOON),
            "idle for 22 min, will be suspended at 03:34 UTC by team-a's policy",
        ),
        (
            idle_session(level="everyone", action="stop", acts=NOW + timedelta(days=2)),
            "idle for 22 min, will be stopped at 2026-01-04 03:04 UTC by everyone's policy",
        ),
        (
            idle_session(level="session", action="suspend", acts=SOON, kept=30),
            "idle for 22 min, will be suspended at 03:34 UTC by its own timeout; "
            "kept alive until 03:34 UTC",
        ),
        (
            idle_session(
                rule="gpu_idle_timeout", level="kind:interactive", action="notify", acts=SOON
            ),
            "GPU idle for 22 min, the owner will be notified at 03:34 UTC "
            "by the policy for interactive sessions",
        ),
        (
            idle_session(level="everyone", action="notify", acts=SINCE, warned=SINCE),
            "idle for 22 min, the owner was notified at 02:42 UTC by everyone's policy",
        ),
        (idle_session(exempt=SOON), "idle for 22 min, exempt until 03:34 UTC"),
        (idle_session(kept=5), "kept alive until 03:09 UTC"),
        (idle_session(kept=-5), ""),
        (idle_session("suspended", level="everyone", action="suspend", acts=SOON), ""),
        (idle_session(since=SOON), "idle"),
        (
            replace(idle_session(kept=5), unmeasured="Its GPU is busy; by whom is not known."),
            "cannot idle out: its GPU is busy; by whom is not known; kept alive until 03:09 UTC",
        ),
        (replace(idle_session("suspended"), unmeasured="Its GPU is busy."), ""),
    ],
)
def test_idle_time_and_consequence_are_one_line(session: Session, said: str) -> None:
    assert idle_text(session, NOW) == said


def test_idle_signals_are_named() -> None:
    session = idle_session(level="everyone", action="suspend", acts=SOON)
    signals = [Signal(name=name, state="idle", last=SINCE) for name in ("kernels", "gpu")]
    activity = Activity(session=session.id, at=NOW, signals=tuple(signals), idle=session.idle)
    text = idle_text(session, NOW, activity)
    assert text.startswith("idle for 22 min (no kernel or GPU activity), will be ")
    used = replace(activity, idle=None)
    assert idle_text(session, NOW, used) == ""


@pytest.mark.parametrize(
    ("minutes", "text"), [(0, "< 1 min"), (59, "59 min"), (60, "1 h"), (65, "1 h 5 min")]
)
def test_durations_are_in_minutes(minutes: int, text: str) -> None:
    assert duration_text(timedelta(minutes=minutes, seconds=59)) == text


def test_list_and_details_show_idle_sessions() -> None:
    session = idle_session(level="project:team-a", action="suspend", acts=SOON)
    used = idle_session()
    view = SessionsView(Page(items=(session, used), total=2, revision="1"), {})
    assert "will be suspended at 2026-01-02 03:34 UTC by team-a's policy" in view.text
    assert view.text.count("exp-1: ") == 1
    assert "<b>exp-1</b>: idle" in view.html
    assert [r["idle_acts"] for r in view.records] == [SOON, None]
    assert "activity:" in SessionView(session).text
    assert "activity:" not in SessionView(used).text


def test_the_maximum_run_time_is_shown_before_its_end() -> None:
    now = datetime.now(UTC)
    ends = now + timedelta(minutes=40)
    session = replace(idle_session(), ends=ends, ends_by="project:team-b")
    said = f"at {ends:%H:%M} UTC: maximum run time (team-b's policy)"
    assert coming_text(session, now) == f"ends {said}"
    assert coming_text(replace(session, ends=now + timedelta(hours=3)), now) == ""
    idle = replace(session, idle=Idleness(since=now, rule="idle_timeout"))
    assert coming_text(idle, now) == f"idle for < 1 min; ends {said}"
    view = SessionsView(Page(items=(session,), total=1, revision="1"), {})
    assert view.text.endswith(f"exp-1: ends {said}")
    assert view.records[0]["ends"] == ends
    assert said in SessionView(session).text
    assert "maximum run time" not in SessionView(replace(session, state="stopped")).text
    policy, activity = (
        SessionPolicy(session="s", rules=()),
        Activity(session="s", at=now, signals=(), looked=True),
    )
    assert ExplainView(policy, session, activity, now).text.endswith(
        f"exp-1: active.\nexp-1 ends {said}."
    )


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("interactive", "interactive_life 4h (everyone)"),
        ("train", "train_life 1d (kind:train)"),
    ],
)
def test_the_policy_includes_the_maximum_run_time(kind: Kind, said: str) -> None:
    values = dict.fromkeys(RULES, ("never", "built-in"))
    values["interactive_life"] = ("4h", "everyone")
    values["train_life"] = ("1d", "kind:train")
    rules = tuple(
        DecidedRule(rule=rule, value=value, level=level) for rule, (value, level) in values.items()
    )
    assert policy_text(SessionPolicy(session="s", rules=rules), kind) == said


def test_an_expired_extension_is_not_shown() -> None:
    assert KeptView(idle_session(kept=-5), NOW).text == "exp-1 is not kept alive."


@pytest.mark.parametrize(
    ("ports", "said"),
    [
        ((), ""),
        ((5678,), "port 5678: every account of this machine can connect"),
        ((5678, 43211), "ports 5678, 43211: every account of this machine can connect"),
    ],
)
def test_ports_that_other_accounts_reach_are_told(ports: tuple[int, ...], said: str) -> None:
    text = SessionView(replace(make_session("exp-1", state="running"), listening=ports)).text
    assert ("open to others" in text) == bool(ports)
    assert said in text
