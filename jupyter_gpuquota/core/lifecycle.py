"""Which state may follow which, and which actions each state allows.

::

    waiting ─→ starting ─→ running ─→ done | failed         (its command has ended)
       │          └───────────┴─→ stopping ─→ stopped | suspended
       └─→ stopped | suspended  └─→ waiting                  (nothing to stop; reclaimed)
    suspended | stopped | done | failed ─→ waiting          (resume)
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from ..errors import WrongState
from ..model.messages.build import reason
from ..model.messages.formats import share_arg
from ..model.previews import QueuePosition
from ..model.reasons import Reason
from ..model.resources import Share, Usage
from ..model.sessions import ENDED, LIVE, Goal, Progress, Reclaim, Session, State
from ..model.struct import Message
from ..model.volumes.mounts import Mount
from . import ending
from .end_requests import requested

STEPS_KEPT = 20
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
_DONE: dict[Goal, str] = {"stop": "stopped", "suspend": "suspended"}


def move(session: Session, state: State, now: datetime, reason: Reason | None = None) -> Session:
    """Return the session in another state; raise ValueError for a step that is not allowed."""
    if state not in _NEXT[session.state]:
        raise ValueError(f"{session.id} cannot go from {session.state} to {state}")
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
        unmeasured="",
        kept=None,
        ending=None if state == "starting" else session.ending,
        started=now if state == "running" else session.started,
        queue_position=0,
    )


def _rested(usage: Usage | None) -> Usage | None:
    """Return what remains true of a session's usage once it no longer holds GPUs."""
    if usage is None or usage.peak is None:
        return None
    return msgspec.structs.replace(usage, memory=None, over=False)


def listening_at(session: Session, ports: tuple[int, ...]) -> Session:
    """Return a session with the ports at which its programs listen."""
    return msgspec.structs.replace(session, listening=ports)


def waiting_at(session: Session, found: QueuePosition) -> Session:
    """Return a queued session with the reason and the position that its engine gives."""
    return msgspec.structs.replace(
        session,
        reason=found.reason or session.reason,
        queue_position=found.position,
        expected=found.expected,
    )


def due_at(session: Session, expected: datetime | None) -> Session:
    """Return a session with when it should start, if it is queued and that is known."""
    if expected is None or session.state != "waiting":
        return session
    return msgspec.structs.replace(session, expected=expected)


def note(session: Session, step: Message, now: datetime) -> Session:
    """Return the session with one more line of progress."""
    line = Progress(at=now, message=step.text, key=step.key, args=step.args)
    return msgspec.structs.replace(session, progress=(*session.progress, line)[-STEPS_KEPT:])


def request_end(session: Session, goal: Goal, now: datetime, why: Reason | None = None) -> Session:
    """Return the session on its way to stopped or suspended; without `why`, its owner requested it.

    Repeating a request changes nothing, whoever repeats it. A session that is being suspended may
    still be stopped.

    Raises:
        WrongState: it has ended already.
    """
    reason = why or requested(goal)
    if session.state in ENDED or session.state == "suspended":
        if goal == "stop" and session.state == "suspended":
            return move(session, "stopped", now, reason)
        raise WrongState(
            f"{session.spec.name} is {session.state} and cannot be {_DONE[goal]}.",
            hint="Resume starts it again; delete removes it from the list.",
        )
    wanted = msgspec.structs.replace(session, goal=goal)
    if session.state == "waiting":
        return move(wanted, "suspended" if goal == "suspend" else "stopped", now, reason)
    if session.state == "stopping":
        is_repeated = session.reason is not None and session.reason.code == reason.code
        return msgspec.structs.replace(wanted, reason=session.reason if is_repeated else reason)
    return move(wanted, "stopping", now, reason)


def request_requeue(session: Session, reclaim: Reclaim, reason: Reason) -> Session:
    """Return a session that has to release its GPUs and is queued again."""
    return msgspec.structs.replace(requeued(session, reason, reclaim.at), reclaimed=reclaim)


def requeued(session: Session, why: Reason, now: datetime) -> Session:
    """Return a session that releases its GPUs, or has lost them, and is queued again."""
    return msgspec.structs.replace(move(session, "stopping", now, why), goal="requeue")


def request_resize(
    session: Session, share: Share, now: datetime, added: Sequence[Mount] = ()
) -> Session:
    """Return the session on its way to another share: it releases its GPUs and is queued.

    `added` are volumes that it mounts from now on.

    Raises:
        WrongState: it has that share already, and no volume is added, or it is being stopped.
    """
    if session.state == "stopping":
        raise WrongState(
            f"{session.spec.name} is being stopped.", hint="Resize it once it has stopped."
        )
    if session.spec.share == share and not added:
        raise WrongState(
            f"{session.spec.name} already has {share.text}.", hint="Request another share."
        )
    old = session.spec
    spec = msgspec.structs.replace(old, share=share, volumes=(*old.volumes, *added))
    sized = msgspec.structs.replace(session, spec=spec, reclaimed=None)
    if session.state == "waiting":
        return sized
    if session.state not in LIVE:
        return _queued(sized, now)
    why = reason("ResizeRequested", "request.resize", share=share_arg(share))
    if old.share == share:
        names = ",".join(mount.volume or mount.host_path for mount in added)
        why = reason("ResizeRequested", "request.mount", volumes=names)
    return msgspec.structs.replace(move(sized, "stopping", now, why), goal="requeue")


def finish_end(session: Session, now: datetime) -> Session:
    """Return a stopping session whose processes have all gone."""
    if session.goal == "requeue":
        return _queued(session, now)
    state: State = "suspended" if session.goal == "suspend" else "stopped"
    return move(session, state, now, ending.concluded(session))


def request_resume(session: Session, now: datetime) -> Session:
    """Return the session back in the queue, with the same name and share.

    Raises:
        WrongState: it is not suspended and has not ended.
    """
    if session.state not in ENDED | {"suspended"}:
        raise WrongState(
            f"{session.spec.name} is {session.state}; only suspended or ended sessions resume.",
            hint="Suspend it first." if session.state in {"starting", "running"} else "",
        )
    return msgspec.structs.replace(_queued(session, now), reclaimed=None, ending=None)


def _queued(session: Session, now: datetime) -> Session:
    return msgspec.structs.replace(
        move(session, "waiting", now),
        goal="run",
        progress=(),
        exit=None,
        started=None,
        ends=None,
        ends_by="",
        usage=None,
    )


def check_deletable(session: Session) -> None:
    """Raise WrongState if the session may still have processes."""
    if session.state in LIVE:
        raise WrongState(
            f"{session.spec.name} is {session.state} and cannot be deleted.",
            hint="Stop it first; its log is kept until it is deleted.",
        )


def check_untouched(session: Session) -> None:
    """Raise WrongState unless the session is queued and has never started."""
    if session.state != "waiting" or session.run:
        raise WrongState(
            f"{session.spec.name} is {session.state} and cannot be taken back.",
            hint="Only what has never started can be.",
        )
