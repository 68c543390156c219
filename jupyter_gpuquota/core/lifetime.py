"""Say how long a session may live, and end it when that is over."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..model.quota import Project
from ..model.reasons import Reason
from ..model.sessions import Session
from .lifecycle import note, request_end

WARNING = timedelta(minutes=10)
"""How long before the end its owner is told."""


def end_of(session: Session, project: Project | None) -> datetime | None:
    """Tell when a session's longest life is over; None if nothing bounds it.

    A project bounds its interactive sessions, from when they began to run.
    """
    if session.started is None or session.state != "running" or session.spec.kind == "train":
        return None
    if project is None or not project.interactive_duration:
        return None
    return session.started + timedelta(seconds=project.interactive_duration)


def warn(session: Session, now: datetime) -> Session:
    """Return the session, with a line of progress once its end is near."""
    if session.ends is None or session.ends - now > WARNING:
        return session
    message = (
        f"Is stopped at {session.ends:%H:%M} UTC: {session.spec.project} bounds interactive "
        "sessions; save your work"
    )
    known = any(step.message == message for step in session.progress)
    return session if known else note(session, message, now)


def end(session: Session, now: datetime) -> Session:
    """Return a session whose life is over on its way to stopped."""
    lived = session.ends - session.started if session.ends and session.started else timedelta()
    reason = Reason(
        code="MaxLifetime",
        message=f"It has run for {_text(lived)}, as long as {session.spec.project} lets "
        "interactive sessions run.",
        hint="Resume starts it again.",
    )
    return request_end(session, "stop", now, reason)


def _text(span: timedelta) -> str:
    minutes = int(span.total_seconds()) // 60
    hours, rest = divmod(minutes, 60)
    return (
        f"{hours} h {rest} min" if hours and rest else f"{hours} h" if hours else f"{minutes} min"
    )
