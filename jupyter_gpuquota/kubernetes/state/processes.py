"""The pods of a training with several processes, as one. Pure.

Its session follows the pod of process 0, or the launcher of an MPIJob, which is a process besides
those that were requested; what the others do is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from ...core.lifecycle import requeued
from ...model.resources import Placement
from ...model.sessions import Session
from ..objects.pods import Pod
from .ends import conclude, exit_of, interrupted, removed
from .record import Record
from .seen import Seen, is_launcher, is_running, process_of

_TIDYING = 30.0
"""Seconds after the end of a training in which its operator is to end the pods that still run."""


def ended_together(session: Session, seen: Seen, now: datetime) -> Session | None:
    """Return a training that one process has ended, None while all are well.

    The first that failed is the cause: others fail because it is gone. A launcher's end is that of
    the training, whatever becomes of the workers.
    """
    if session.spec.processes == 1:
        return None
    if ended := _launcher_ended(session, seen, now):
        return ended
    failed = [
        (end.at, process_of(pod), pod, end)
        for pod in _present(seen)
        if (end := exit_of(session, pod)) and end.code != 0 and not interrupted(pod)
    ]
    if failed:
        _, _, pod, end = min(failed, key=lambda each: each[:2])
        return conclude(session, pod, end, now)
    for pod in seen.processes:
        if why := interrupted(pod):
            return requeued(session, why, now)
        if pod.metadata.deletion_timestamp and seen.admission.reclaim is None:
            lost = pod.spec.node_name in seen.lost
            return requeued(session, removed(pod.spec.node_name, pod, lost=lost), now)
    return None


def unfinished(session: Session, seen: Seen) -> bool:
    """Return whether process 0 has ended before others have."""
    ended = {process_of(pod) for pod in seen.processes if pod.status.phase == "Succeeded"}
    return not seen.is_led and 1 < session.spec.processes != len(ended)


def incomplete(session: Session, seen: Seen) -> bool:
    """Return whether not all processes have started."""
    started = {process_of(p) for p in seen.processes if is_running(p) or exit_of(session, p)}
    return session.spec.processes > 1 and len(started) != session.spec.processes + seen.is_led


def tidying(session: Session, now: datetime) -> float | None:
    """Return the seconds for which pods of an ended training are left to its operator.

    None if it has not ended, or that time is over.
    """
    left = _TIDYING - (now - session.since).total_seconds()
    return left if _has_ended(session) and left > 0 else None


def is_left(session: Session, seen: Seen, now: datetime) -> bool:
    """Return whether pods of a training that has ended still run, and nobody ends them.

    The MPI Operator ends the workers, but up to 1000 s late after many changes of an MPIJob in a
    short time, and not while a launcher runs on that has not noticed that a worker has failed.
    """
    left = [pod for pod in seen.live if pod.metadata.deletion_timestamp is None]
    return bool(left) and _has_ended(session) and tidying(session, now) is None


def _has_ended(session: Session) -> bool:
    return session.spec.kind == "train" and session.state in ("done", "failed")


def joined(placements: Sequence[Placement | None]) -> Placement | None:
    """Return what all processes hold, at the place of the first; None while it has none."""
    first = placements[0]
    if first is None or len(placements) == 1:
        return first
    slices = (piece for place in placements if place for piece in place.slices)
    return replace(first, slices=tuple(slices))


def followed(record: Record, seen: Seen) -> Record:
    """Return the record of a training that starts; once its launcher is there, it follows that."""
    launcher = _launcher(seen)
    if launcher is None or record.session.state != "starting":
        return record
    return replace(record, pod=launcher.metadata.uid)


def _launcher(seen: Seen) -> Pod | None:
    return next((pod for pod in _present(seen) if is_launcher(pod)), None) if seen.is_led else None


def _launcher_ended(session: Session, seen: Seen, now: datetime) -> Session | None:
    launcher = _launcher(seen)
    end = exit_of(session, launcher) if launcher and not interrupted(launcher) else None
    return conclude(session, launcher, end, now) if launcher and end else None


def _present(seen: Seen) -> list[Pod]:
    return [pod for pod in seen.processes if pod.metadata.deletion_timestamp is None]
