"""Warn that a session is idle, and end it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from ...model.idleness import Idleness, IdleRule, Signal
from ...model.messages.build import message, reason
from ...model.messages.formats import time_arg
from ...model.messages.idle_words import idle_signals
from ...model.reasons import Reason, ReasonCode
from ...model.sessions import Goal, Session
from ...model.struct import Message
from ..lifecycle import request_end

_CODES: dict[IdleRule, ReasonCode] = {
    "idle_timeout": "IdleTimeout",
    "gpu_idle_timeout": "GpuIdleTimeout",
}
IDLE = frozenset(_CODES.values())
"""Why idle sessions are ended."""

BY_POLICY = IDLE | {"MaxLifetime"}
"""Why the policy ends sessions, which then have its `grace`."""

_EXACT = 600
"""Durations from this number of seconds on are given in whole minutes."""


def end(session: Session, idle: Idleness, signals: Iterable[Signal], now: datetime) -> Session:
    """Return an idle session on its way to suspended or stopped.

    Raises ValueError where its action does not end sessions.
    """
    if idle.action not in ("suspend", "stop"):
        raise ValueError(f"{session.id}: the action {idle.action!r} ends no session")
    goal: Goal = idle.action
    return request_end(session, goal, now, reason_of(idle, signals, now))


def concluded(session: Session) -> Session:
    """Return a session that has ended, with a note in its reason if it had to be killed."""
    why, ended = session.reason, session.exit
    if not (why and ended) or why.code not in BY_POLICY or ended.signal != "SIGKILL":
        return session
    return msgspec.structs.replace(session, reason=why.extended(message("ending.killed")))


def reason_of(idle: Idleness, signals: Iterable[Signal], now: datetime) -> Reason:
    """Return why an idle session is ended: by which rule of which policy."""
    seconds = int((now - idle.since).total_seconds())
    return reason(
        _CODES[idle.rule],
        f"{idle.rule}.{idle.action}",
        span=seconds if seconds < _EXACT else seconds // 60 * 60,
        signals=",".join(idle_signals(idle, signals)),
        policy=idle.level,
    )


def warning_of(idle: Idleness) -> Message:
    """Return what will be done to an idle session, and how to prevent it."""
    if idle.action == "notify" or idle.acts is None:
        since = time_arg(idle.since)
        return message(f"warning.{idle.rule}.notify", since=since, policy=idle.level)
    return message(f"warning.{idle.rule}.{idle.action}", at=time_arg(idle.acts), policy=idle.level)


def notice(session: Session) -> str:
    """Return the text for an owner who is away: the session's newest reason or line of progress."""
    ending = session.reason if session.state == "stopping" else None
    text = ending.message if ending else session.progress[-1].message
    return f"{session.owner}'s GPU session {session.spec.name} ({session.spec.project}): {text}"
