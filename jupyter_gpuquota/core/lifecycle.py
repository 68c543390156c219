"""Which state may follow which, and what a user may ask in each.

::

    waiting ─→ starting ─→ running ─→ done | failed         (by itself)
       │          └───────────┴─→ stopping ─→ stopped | suspended
       └─→ stopped | suspended  └─→ waiting                  (it had nothing to stop; reclaimed)
    suspended | stopped | done | failed ─→ waiting          (resume)
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..errors import WrongState
from ..model.reasons import Reason
from ..model.resources import Share
from ..model.sessions import (
    ENDED,
    LIVE,
    Goal,
    Progress,
    QueuePosition,
    Reclaim,
    Session,
    State,
    Usage,
)

STEPS_KEPT = 20
RESUMABLE = (
    "Resume starts it again, with its folder and its request as they were. What only its memory "
    "held is gone."
)
"""What is kept of a session that the policy has ended."""
_NEXT: dict[State, frozenset[State]] = {
    "waiting": frozenset({"starting", "stopped", "suspended", "failed"}),
    "starting": frozenset({"running", "stopping", "waiting", "done", "failed", "stopped"}),
    "running": frozenset({"stopping", "done", "failed", "stopped"}),
    "stopping": frozenset({"stopped", "suspended", "failed", "waiting"}),
    "suspended": frozenset({"waiting", "stopped"}),
    "stopped": frozenset({"waiting"}),
    "done": frozenset({"waiting"}),
    "failed": frozenset({"waiting"}),
}
_REASONS: dict[Goal, Reason] = {
    "stop": Reason(code="StopRequested", message="Stopped on request."),
    "suspend": Reason(
        code="SuspendRequested", message="Suspended on request.", hint="Resume brings it back."
    ),
}


def move(session: Session, state: State, now: datetime, reason: Reason | None = None) -> Session:
    """Return the session in another state; raises ValueError for a step that the map lacks."""
    if state not in _NEXT[session.state]:
        raise ValueError(f"{session.id}: no way from {session.state} to {state}")
    ended = now if state in ENDED | {"suspended"} else None
    held = session.placement if state in LIVE | {"starting"} else None
    return msgspec.structs.replace(
        session,
        state=state,
        since=now,
        reason=reason,
        ended=ended,
        placement=held,
        isolation=session.isolation if held else None,
        usage=session.usage if held else _rested(session.usage),
        idle=None,
        kept=None,
        started=now if state == "running" else session.started,
        place_in_line=0,
    )


def _rested(usage: Usage | None) -> Usage | None:
    """Return what is still true of a session's use when it holds nothing any more."""
    if usage is None or usage.peak is None:
        return None
    return msgspec.structs.replace(usage, memory=None, over=False)


def waiting_at(session: Session, found: QueuePosition) -> Session:
    """Return a waiting session with what its engine says of why it waits, and where."""
    return msgspec.structs.replace(
        session, reason=found.reason or session.reason, place_in_line=found.position
    )


def note(session: Session, message: str, now: datetime) -> Session:
    """Return the session with one more line of progress."""
    steps = (*session.progress, Progress(at=now, message=message))[-STEPS_KEPT:]
    return msgspec.structs.replace(session, progress=steps)


def request_end(session: Session, goal: Goal, now: datetime, why: Reason | None = None) -> Session:
    """Return the session on its way to stopped or suspended, for a reason if it was not asked.

    Asking again for what is already under way changes nothing. A session that was being
    suspended may still be stopped.

    Raises:
        WrongState: it has ended already.
    """
    if session.state in ENDED or session.state == "suspended":
        if goal == "stop" and session.state == "suspended":
            return move(session, "stopped", now, why or _REASONS[goal])
        raise WrongState(
            f"{session.spec.name} is {session.state}: there is nothing to {goal}.",
            hint="Resume starts it again; delete removes it from the list.",
        )
    reason = why or _REASONS[goal]
    wanted = msgspec.structs.replace(session, goal=goal)
    if session.state == "waiting":
        return move(wanted, "suspended" if goal == "suspend" else "stopped", now, reason)
    if session.state == "stopping":
        return msgspec.structs.replace(wanted, reason=reason)
    return move(wanted, "stopping", now, reason)


def request_requeue(session: Session, reclaim: Reclaim, reason: Reason) -> Session:
    """Return a session that has to give its GPUs back, and goes in line again."""
    leaving = move(session, "stopping", reclaim.at, reason)
    return msgspec.structs.replace(leaving, goal="requeue", reclaimed=reclaim)


def request_resize(session: Session, share: Share, now: datetime) -> Session:
    """Return the session on its way to another share: it gives back what it holds, and waits.

    Raises:
        WrongState: it has that share already, or is being stopped.
    """
    if session.state == "stopping":
        raise WrongState(f"{session.spec.name} is being stopped: resize it afterwards.")
    if session.spec.share == share:
        raise WrongState(
            f"{session.spec.name} has {share.text} already.", hint="Ask for another share."
        )
    spec = msgspec.structs.replace(session.spec, share=share)
    sized = msgspec.structs.replace(session, spec=spec, reclaimed=None)
    if session.state == "waiting":
        return sized
    if session.state not in LIVE:
        return _in_line(sized, now)
    reason = Reason(
        code="ResizeRequested", message=f"Stopped on request, to start again with {share.text}."
    )
    return msgspec.structs.replace(move(sized, "stopping", now, reason), goal="requeue")


def finish_end(session: Session, now: datetime) -> Session:
    """Return a stopping session whose processes have all gone."""
    if session.goal == "requeue":
        return _in_line(session, now)
    state: State = "suspended" if session.goal == "suspend" else "stopped"
    return move(session, state, now, session.reason)


def request_resume(session: Session, now: datetime) -> Session:
    """Return the session back in the queue, with the same name and share.

    Raises:
        WrongState: it is not suspended and has not ended.
    """
    if session.state not in ENDED | {"suspended"}:
        raise WrongState(
            f"{session.spec.name} is {session.state}: only a suspended or ended session resumes.",
            hint="Suspend it first." if session.state in {"starting", "running"} else "",
        )
    return msgspec.structs.replace(_in_line(session, now), reclaimed=None)


def _in_line(session: Session, now: datetime) -> Session:
    queued = move(session, "waiting", now)
    return msgspec.structs.replace(
        queued, goal="run", progress=(), exit=None, started=None, ends=None, ends_by="", usage=None
    )


def check_deletable(session: Session) -> None:
    """Raise WrongState if the session may still have processes."""
    if session.state in LIVE:
        raise WrongState(
            f"{session.spec.name} is {session.state}: stop it before it is deleted.",
            hint="Stop ends it and keeps its log; delete then removes it.",
        )
