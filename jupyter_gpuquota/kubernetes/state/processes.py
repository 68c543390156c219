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
