"""Say how long a session may live, and end it when that is over."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from ..model.idlewords import whose
from ..model.policy import Policy, life_rule
from ..model.quota import Project
from ..model.reasons import Reason
from ..model.sessions import Session
from .lifecycle import RESUMABLE, note, request_end
from .policy import NO_POLICY, life_of

WARNING = timedelta(minutes=10)
"""How long before the end its owner is told."""

STOPPED = "It was stopped"
"""How the reason of such an end begins."""


def end_of(
    session: Session, project: Project | None, policy: Policy = NO_POLICY
) -> datetime | None:
    """Tell when a session's longest life is over; None if nothing bounds it.

    A project may bound its interactive sessions, and a policy all, from when they began to run.
    """
    if session.started is None or session.state != "running":
        return None
    life = life_of(policy, session, project).value
    return session.started + timedelta(seconds=life) if life else None


def bounded(session: Session, project: Project | None, policy: Policy = NO_POLICY) -> Session:
    """Return the session with when its longest life is over, and the level that decided it."""
    ends = end_of(session, project, policy)
    level = life_of(policy, session, project).level if ends else ""
    return msgspec.structs.replace(session, ends=ends, ends_by=level)


def bound(session: Session, project: Project | None, policy: Policy, now: datetime) -> Session:
    """Return a running session with when it is to end, given when it was to end until now.

    Where its life was cut short it still gets the time in which its owner is told, unless it has
    hardly begun.
    """
    regular, known = bounded(session, project, policy), session.ends
    if regular.ends is None or session.started is None or (known and known <= regular.ends):
        return regular
    begun = now - session.started >= WARNING
    told = max(regular.ends, now + WARNING) if begun else regular.ends
    return msgspec.structs.replace(regular, ends=min(known, told) if known else told)


def warn(session: Session, now: datetime) -> Session:
    """Return the session, with a line of progress once its end is near."""
    if session.ends is None or session.ends - now > WARNING:
        return session
    message = (
        f"Is stopped at {session.ends:%H:%M} UTC, when its longest life is over "
        f"(by {whose(session.ends_by)}); save your work"
    )
    known = any(step.message == message for step in session.progress)
    return session if known else note(session, message, now)


def end(session: Session, now: datetime) -> Session:
    """Return a session whose life is over on its way to stopped."""
    lived = now - session.started if session.started else timedelta()
    reason = Reason(
        code="MaxLifetime",
        message=f"{STOPPED} by the rule {life_rule(session.spec.kind)} of "
        f"{whose(session.ends_by)}. It has run for {_text(lived)}.",
        hint=RESUMABLE,
    )
    return request_end(session, "stop", now, reason)


def _text(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    hours, rest = divmod(minutes, 60)
    return (
        f"{hours} h {rest} min" if hours and rest else f"{hours} h" if hours else f"{minutes} min"
    )
