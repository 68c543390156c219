"""Say that a session is idle, and act on it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from ..model.idleness import Idleness, IdleRule, Signal, SignalName
from ..model.reasons import Reason, ReasonCode
from ..model.sessions import Goal, Session
from . import levels
from .lifecycle import request_end
from .spans import write_span

_NOUNS: dict[SignalName, str] = {
    "kernels": "kernel",
    "terminals": "terminal",
    "presence": "user",
    "cpu": "CPU",
    "gpu": "GPU",
    "process": "process",
}
_CODES: dict[IdleRule, ReasonCode] = {
    "idle_timeout": "IdleTimeout",
    "gpu_idle_timeout": "GpuIdleTimeout",
}
IDLE = frozenset(_CODES.values())
"""Why idle sessions are ended."""

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
    """Return a session that has ended, with a word on it if an idle one had to be killed."""
    reason, found = session.reason, session.exit
    if not (reason and found) or reason.code not in IDLE or found.signal != "SIGKILL":
        return session
    message = (
        f"{reason.message} It did not end by itself in time and was killed: what it had not "
        "saved is lost."
    )
    return msgspec.structs.replace(session, reason=msgspec.structs.replace(reason, message=message))


def reason_of(session: Session, idle: Idleness, signals: Iterable[Signal], now: datetime) -> Reason:
    """Say why an idle session is ended, by which rule, and what is kept."""
    span = write_span(int((now - idle.since).total_seconds()) // 60 * 60)
    quiet = quiet_of(idle, signals)
    return Reason(
        code=_CODES[idle.rule],
        message=f"It was {_DONE[idle.action]} by the rule {idle.rule} of {whose(idle, session)}: "
        f"{quiet} for {span}.",
        hint="Resume starts it again, with its folder and its share as they were. What only its "
        "memory held is gone.",
    )


def warning_of(session: Session, idle: Idleness) -> str:
    """Say what will be done to an idle session, and what helps against it."""
    decided = f"by {whose(idle, session)}"
    if idle.action == "notify" or idle.acts is None:
        what = "Its GPU is not used" if idle.rule == "gpu_idle_timeout" else "It is not used"
        return f"{what} since {idle.since:%H:%M} UTC ({decided})"
    what = "for want of GPU activity" if idle.rule == "gpu_idle_timeout" else "unless it is used"
    return f"Is {_DONE[idle.action]} at {idle.acts:%H:%M} UTC {what} ({decided})"


def told(session: Session) -> str:
    """Tell somebody who is away what happens to a session: the newest of what it says itself."""
    ended = session.reason and session.reason.code in IDLE
    said = session.reason.message if session.reason and ended else session.progress[-1].message
    return f"{session.owner}'s GPU session {session.spec.name} ({session.spec.project}): {said}"


def quiet_of(idle: Idleness, signals: Iterable[Signal]) -> str:
    """Name what did nothing: `no kernel, terminal or GPU activity`."""
    nouns = [_NOUNS[s.name] for s in signals if s.state == "idle"]
    if idle.rule == "gpu_idle_timeout" or not nouns:
        nouns = ["GPU"] if idle.rule == "gpu_idle_timeout" else []
    if not nouns:
        return "no activity"
    head, last = nouns[:-1], nouns[-1]
    return f"no {', '.join(head)} or {last} activity" if head else f"no {last} activity"


def whose(idle: Idleness, session: Session) -> str:
    """Name the level that decided, in plain words."""
    return levels.whose(idle.level, session.spec.name)
