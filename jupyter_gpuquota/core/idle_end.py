"""Say that a session is idle, and act on it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from ..model.idleness import Idleness, IdleRule, Signal
from ..model.idlewords import decider, quiet_of, whose
from ..model.reasons import Reason, ReasonCode
from ..model.sessions import Goal, Session
from ..model.spans import write_span
from .lifecycle import RESUMABLE, request_end

_CODES: dict[IdleRule, ReasonCode] = {
    "idle_timeout": "IdleTimeout",
    "quiet_hours": "IdleTimeout",
    "gpu_idle_timeout": "GpuIdleTimeout",
}
IDLE = frozenset(_CODES.values())
"""Why idle sessions are ended."""

BY_POLICY = IDLE | {"MaxLifetime"}
"""Why the policy ends sessions, which then have its `grace`."""

_EXACT = 600
"""Seconds below which seconds are told."""
_DONE = {"suspend": "suspended", "stop": "stopped"}


def end(session: Session, idle: Idleness, signals: Iterable[Signal], now: datetime) -> Session:
    """Return an idle session on its way to suspended or stopped.

    Raises ValueError where its action does not end sessions.
    """
    if idle.action not in ("suspend", "stop"):
        raise ValueError(f"{session.id}: {idle.action or 'nothing'} ends no session")
    goal: Goal = idle.action
    return request_end(session, goal, now, reason_of(session, idle, signals, now))


def concluded(session: Session) -> Session:
    """Return a session that has ended, with a word on it if the policy had to have it killed."""
    reason, found = session.reason, session.exit
    if not (reason and found) or reason.code not in BY_POLICY or found.signal != "SIGKILL":
        return session
    message = (
        f"{reason.message} It did not end in time and was killed: what it had not saved is lost."
    )
    return msgspec.structs.replace(session, reason=msgspec.structs.replace(reason, message=message))


def reason_of(session: Session, idle: Idleness, signals: Iterable[Signal], now: datetime) -> Reason:
    """Say why an idle session is ended, by which rule, and what is kept."""
    seconds = int((now - idle.since).total_seconds())
    span = write_span(seconds if seconds < _EXACT else seconds // 60 * 60)
    quiet, by = quiet_of(idle, signals), whose(idle.level, session.spec.name)
    return Reason(
        code=_CODES[idle.rule],
        message=f"It was {_DONE[idle.action]} by the rule {idle.rule} of {by}. "
        f"There was {quiet} for {span}.",
        hint=RESUMABLE,
    )


def warning_of(session: Session, idle: Idleness) -> str:
    """Say what will be done to an idle session, and what helps against it."""
    decided = f"by {decider(idle, session.spec.name)}"
    if idle.action == "notify" or idle.acts is None:
        what = "Its GPU is not used" if idle.rule == "gpu_idle_timeout" else "It is not used"
        return f"{what} since {idle.since:%H:%M} UTC ({decided})"
    what = "for want of GPU activity" if idle.rule == "gpu_idle_timeout" else "unless it is used"
    return f"Is {_DONE[idle.action]} at {idle.acts:%H:%M} UTC {what} ({decided})"


def told(session: Session) -> str:
    """Tell somebody who is away what happens to a session: the newest of what it says itself."""
    ended = session.reason if session.state == "stopping" else None
    said = ended.message if ended else session.progress[-1].message
    return f"{session.owner}'s GPU session {session.spec.name} ({session.spec.project}): {said}"
