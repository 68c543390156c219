"""How long interactive sessions may live."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from jupyter_gpuquota.core.idle import endings, lifetime
from jupyter_gpuquota.core.idle.policy import NO_POLICY
from jupyter_gpuquota.model.policy import PolicyLevel, PolicyRules
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW, make_project, make_session

BOUNDED = make_project(interactive_duration=3600)


def running(**fields: str) -> Session:
    session = make_session("exp-1", "0.5", "running", **fields)
    return msgspec.structs.replace(session, started=NOW)


@pytest.mark.parametrize(
    ("kind", "bounded"), [("interactive", 1), ("interactive-spot", 1), ("train", 0)]
)
def test_a_project_bounds_its_interactive_sessions(kind: str, bounded: int) -> None:
    ends = lifetime.end_of(running(kind=kind), BOUNDED)
    assert ends == (NOW + timedelta(hours=1) if bounded else None)


def test_without_a_bound_or_a_project_it_lives_on() -> None:
    assert lifetime.end_of(running(), make_project()) is None
    assert lifetime.end_of(running(), None) is None


def test_a_life_cut_short_leaves_the_time_to_be_told() -> None:
    def bound(minutes: int, project: Project | None = BOUNDED, told: int = 0) -> int | None:
        nonlocal session
        now = NOW + timedelta(minutes=minutes)
        session = lifetime.bound(session, project, NO_POLICY, now, timedelta(minutes=told))
        assert session.ends_by == ("project:team-a" if session.ends else "")
        return int((session.ends - NOW).total_seconds()) // 60 if session.ends else None

    session, short = running(), make_project(interactive_duration=300)
    assert bound(0, short) == 5
    assert bound(0) == 60
    assert bound(30, short) == 40
    assert bound(35, short, told=5) == 40
    assert bound(36) == 60
    assert bound(55, short, told=5) == 60
    assert bound(56, None) is None
    assert bound(90) == 100


def test_its_owner_is_told_once_ten_minutes_before() -> None:
    session = msgspec.structs.replace(running(), ends=NOW + timedelta(hours=1))
    assert lifetime.warn(session, NOW + timedelta(minutes=49)) == session
    warned = lifetime.warn(session, NOW + timedelta(minutes=51))
    assert "save your work" in warned.progress[-1].message
    assert lifetime.warn(warned, NOW + timedelta(minutes=55)) == warned


def test_the_reason_says_how_long_it_ran_and_what_to_do() -> None:
    session = lifetime.bounded(running(), make_project(interactive_duration=5400))
    ended = lifetime.end(session, NOW + timedelta(minutes=90))
    assert (ended.state, ended.goal) == ("stopping", "stop")
    assert ended.reason is not None
    assert ended.reason.code == "MaxLifetime"
    assert "1 h 30 min" in ended.reason.message
    assert "maximum run time of team-a's policy" in ended.reason.message


def test_a_policy_that_bounds_a_life_is_named() -> None:
    train = PolicyLevel(level="kind:train", rules=PolicyRules(train_life=1800))
    everyone = PolicyLevel(level="everyone", rules=PolicyRules(train_life=60, interactive_life=60))
    policy = msgspec.structs.replace(NO_POLICY, levels=(everyone, train))
    session = lifetime.bound(running(kind="train"), None, policy, NOW)
    assert session.ends == NOW + timedelta(minutes=30)
    told = lifetime.warn(session, NOW + timedelta(minutes=21))
    assert "(the policy for train sessions)" in told.progress[-1].message
    assert endings.notice(told).endswith(told.progress[-1].message)
    ended = lifetime.end(told, NOW + timedelta(minutes=30))
    said = "Stopped after 30 min: maximum run time of the policy for train sessions reached."
    assert ended.reason
    assert ended.reason.message == said
    assert endings.notice(ended) == f"me's GPU session exp-1 (team-a): {ended.reason.message}"
    assert lifetime.bound(session, None, NO_POLICY, NOW).ends_by == ""
