"""What is to be written next so that the cluster runs a session as recorded. Pure."""

from __future__ import annotations

from enum import Enum, auto

from ...model.sessions import Session
from .seen import (
    Seen,
    fits,
    is_complete,
    is_in_its_queue,
    is_replaced,
    is_where_volumes_are,
)


class Action(Enum):
    """One write; each is repeated until the cluster shows its effect, so none needs a memory."""

    NONE = auto()
    CREATE = auto()
    """Create the workload, without pods, with the record in its annotation."""
    START = auto()
    """Create or update Secret, Service and NetworkPolicy, then let the workload have a pod."""
    STOP = auto()
    """Let the workload have no pod."""
    REMOVE = auto()
    """Keep the record in the Secret, then delete the workload, to create it anew."""


def next_action(session: Session, seen: Seen) -> Action:
    """Return what is to be done now; the next step depends on what is seen after that."""
    wanted = wants_pod(session, seen)
    if wanted is None:
        return Action.NONE
    return _up(session, seen) if wanted else _down(session, seen)


def wants_pod(session: Session, seen: Seen) -> bool | None:
    """Return whether a session is to have a pod; None where it is to stay as it is."""
    if session.state in ("waiting", "starting", "running"):
        return True
    if session.state != "stopping":
        return False
    if session.is_saving:
        return None
    if session.goal == "requeue" and is_replaced(seen.workload, session):
        return None  # it was interrupted: its engine or controller replaces the pod
    return False


def _up(session: Session, seen: Seen) -> Action:
    workload = seen.workload
    if workload is None:
        return Action.NONE if seen.live else Action.CREATE
    if not fits(workload, session) or workload.is_finished or _is_elsewhere(session, seen):
        return Action.REMOVE
    if is_complete(workload) and (workload.is_up or seen.engine_starts(workload)):
        return Action.NONE
    if seen.data:
        return Action.NONE
    if seen.is_queued and not (workload.is_up or workload.runs_once):
        return Action.NONE  # the engine still deletes what it knows of an earlier workload
    # A StatefulSet is refused a new pod while its last one terminates.
    return Action.NONE if seen.live and not workload.is_up else Action.START


def _is_elsewhere(session: Session, seen: Seen) -> bool:
    """Return whether a workload is made for other nodes or another queue, and loses nothing."""
    workload = seen.workload
    if workload is None:
        return False
    if session.state == "waiting" and not is_where_volumes_are(workload, seen.attached):
        return True  # no pod has a node yet
    return not (seen.live or workload.is_up or is_in_its_queue(workload, seen.engine))


def _down(session: Session, seen: Seen) -> Action:
    workload = seen.workload
    if workload is None:
        return Action.NONE
    if workload.runs_once:
        # A suspended Job would be started by its engine, and one that has ended never runs again.
        # It takes note of its pod's end a moment after us; deleting it would delete the log, too.
        ended = workload.is_finished or (session.state in ("done", "failed") and session.exit)
        return Action.NONE if ended and not seen.is_left else Action.REMOVE
    if seen.is_queued:
        return Action.REMOVE
    return Action.STOP if workload.is_up or is_complete(workload) else Action.NONE
