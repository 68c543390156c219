"""How long a session may run, and its end when that time is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache

import msgspec

from ...model.idleness import KeepAliveRequest
from ...model.messages.build import message, reason
from ...model.messages.formats import time_arg
from ...model.policy import Policy, RuleName
from ...model.quota import Project
from ...model.sessions import Kind, Session
from ..fields import FieldReader
from ..lifecycle import note, request_end
from .policy import (
    NO_POLICY,
    Decided,
    Subject,
    bounds,
    layered,
    life_of,
    most_of,
    rule_for,
    subject_of,
)

WARNING = timedelta(minutes=10)
"""How long before the end its owner is warned."""

_SLACK = timedelta(seconds=30)
"""By how much an end may be off, so that it stays the same from check to check."""


def end_of(
    session: Session, project: Project | None, policy: Policy = NO_POLICY
) -> datetime | None:
    """Return when a session's maximum run time is over; None if nothing limits it.

    A project may limit its interactive sessions, and a policy all, from when they began to run.
    """
    return bounded(session, project, policy).ends


def bounded(session: Session, project: Project | None, policy: Policy = NO_POLICY) -> Session:
    """Return the session with the end of its maximum run time and the level that decided it."""
    life = life_of(policy, session, project)
    if session.started is None or session.state != "running" or not life.value:
        return msgspec.structs.replace(session, ends=None, ends_by="")
    ends = session.started + timedelta(seconds=life.value)
    return msgspec.structs.replace(session, ends=ends, ends_by=life.level)


def bound(
    session: Session,
    project: Project | None,
    policy: Policy,
    now: datetime,
    warned: timedelta = timedelta(),
) -> Session:
    """Return a running session with when it is to end; its owner has known for `warned`.

    Its owner always gets the full time to save, whatever shortens the run time: a policy, a
    controller that was down, a clock that has jumped. A session that has just begun and may run
    for less than that gets its run time.
    """
    if session.started and session.started > now:  # by a clock that was put back meanwhile
        session = msgspec.structs.replace(session, started=now)
    regular, known = bounded(session, project, policy), session.ends
    if regular.ends is None or regular.started is None:
        return regular
    begun = now - regular.started >= WARNING
    notice = WARNING if begun else min(WARNING, regular.ends - regular.started)
    ends = max(regular.ends, now + notice - warned)
    if known and abs(known - ends) < _SLACK:
        ends = known
    elif ends - regular.ends < _SLACK:
        ends = regular.ends
    return msgspec.structs.replace(regular, ends=ends)


def near(session: Session, now: datetime) -> bool:
    """Return whether a session's end is so near that its owner must be warned."""
    return session.ends is not None and session.ends - now <= WARNING


def moved(session: Session, jump: timedelta) -> Session:
    """Return a session whose times are those of the clock after it has jumped."""
    started = session.started and session.started + jump
    ends = session.ends and session.ends + jump
    return msgspec.structs.replace(session, started=started, ends=ends)


def warn(session: Session, now: datetime) -> Session:
    """Return the session, with a warning in its progress once its end is near."""
    if session.ends is None or not near(session, now):
        return session
    step = message("warning.lifetime", at=time_arg(session.ends), policy=session.ends_by)
    known = any(line.message == step.text for line in session.progress)
    return session if known else note(session, step, now)


def end(session: Session, now: datetime) -> Session:
    """Return a session whose maximum run time is over on its way to stopped."""
    lived = now - session.started if session.started else timedelta()
    minutes = int(lived.total_seconds()) // 60
    why = reason("MaxLifetime", "lifetime.end", lived=60 * minutes, policy=session.ends_by)
    return request_end(session, "stop", now, why)


Extends = Callable[[Session], bool]
"""Returns whether the policy would end an unused session, and lets users delay that."""


def extending(policy: Policy, now: datetime) -> Extends:
    """Return what says that of sessions: lists are long, and have few different rulings."""
    exempt = {each.who for each in policy.exemptions if each.until > now}

    @cache
    def most(project: str, kind: Kind, wish: int | None, *, stops: bool) -> int:
        """Return how often such a session can be kept alive; 0 if nothing would end it."""
        ruling = rule_for(policy, Subject("", "", project, kind, wish, stops), None, now)
        limits = ruling.limits
        ends = limits.idle_timeout and limits.action != "notify"
        ends = ends or (limits.gpu_idle_timeout and limits.gpu_idle_action != "notify")
        return limits.keep_alives if ends and limits.keep_alive else 0

    def extends(session: Session) -> bool:
        spec, times = session.spec, session.kept.times if session.kept else 0
        allowed = most(spec.project, spec.kind, spec.idle_timeout, stops=spec.stop_when_idle)
        return times < allowed and exempt.isdisjoint(subject_of(session).names)

    return extends


def read_keep_alive(request: KeepAliveRequest) -> int:
    """Return for how many seconds a session is to be kept alive; 0 for the default.

    Raises InvalidFields.
    """
    span = str(request.span).strip()
    if not span:
        return 0
    reader = FieldReader()
    seconds = reader.duration("span", span, "default")
    if not seconds and not reader.errors:
        reader.wrong("span", "duration.zero")
    reader.finish()
    return seconds


def read_wish(asked: object, reader: FieldReader) -> int | None:
    """Read the idle timeout that a session requests, in seconds; None for none."""
    if not str(asked).strip():
        return None
    before = len(reader.errors)
    wish = reader.duration("idle_timeout", asked, "never")
    return wish if len(reader.errors) == before else None


def _warning(found: Mapping[RuleName, Decided]) -> int:
    """Return how many seconds before its end a level has a session warned; 0: no matter."""
    warning = found["warn_before"]
    matters = warning.level != "built-in" and found["action"].value != "notify"
    return int(warning.value) if matters else 0


def check_wish(
    wish: int | None, policy: Policy, project: Project, kind: Kind, reader: FieldReader
) -> None:
    """Check the idle timeout that a session requests against the policy."""
    if wish is None:
        return
    found = layered(policy, project.name, kind, project)
    least, most = bounds(found)
    if 0 < wish < least:
        level = found["idle_timeout_min"].level
        reader.wrong("idle_timeout", "idle_timeout.short", level=level, least=least)
    elif 0 < wish < (warn := _warning(found)):
        level = found["warn_before"].level
        reader.wrong("idle_timeout", "idle_timeout.warning", level=level, least=warn)
    if most and (wish == 0 or wish > most):
        level = found[most_of(found)].level
        reader.wrong("idle_timeout", "idle_timeout.long", level=level, most=most)
