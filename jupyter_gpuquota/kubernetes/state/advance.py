"""The next state of a session by what the cluster shows. Pure."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from ...core.idle.endings import concluded
from ...core.lifecycle import finish_end, move, note, requeued, waiting_at
from ...model.messages.build import message
from ...model.messages.formats import place_arg
from ...model.reasons import Reason
from ...model.resources import Placement
from ...model.sessions import Session
from . import attached, images
from .ends import (
    conclude,
    ended_together,
    exit_of,
    followed,
    incomplete,
    interrupted,
    never_ready,
    removed,
    unfinished,
)
from .record import Record
from .seen import Seen, fits, has_ended, is_complete, is_ready, is_replaced, is_running
from .waiting import why_not_ready, why_refused, why_waiting

_STEPS = 6
"""Most steps at once: a pod that was replaced unseen leads from running to running again."""


def advance(record: Record, seen: Seen, now: datetime) -> Record:
    """Return the record, moved along as far as the cluster shows."""
    for _ in range(_STEPS):
        after = _step(record, seen, now)
        if after == record:
            break
        record = after
    return record


def _step(record: Record, seen: Seen, now: datetime) -> Record:
    match record.session.state:
        case "waiting":
            return _waiting(record, seen, now)
        case "starting" | "running":
            return _live(record, seen, now)
        case "stopping":
            return _stopping(record, seen, now)
        case _:
            return record


def _waiting(record: Record, seen: Seen, now: datetime) -> Record:
    session, pod = _told_late(record.session, seen), seen.present
    placed = pod and pod.spec.node_name and not interrupted(pod)
    if pod and placed and seen.workload and fits(seen.workload, session):
        placement = seen.placement or Placement(node=pod.spec.node_name)
        started = replace(
            move(session, "starting", now),
            run=session.run + 1,
            placement=placement,
            isolation=seen.isolation,
            reclaimed=session.reclaimed,
            progress=(),
        )
        step = message("progress.placed", place=place_arg(placement))
        return replace(record, session=note(started, step, now), pod=pod.metadata.uid)
    if seen.data and not (seen.workload and is_complete(seen.workload)):
        return replace(record, session=replace(session, reason=seen.data, queue_position=0))
    if queue := seen.admission.queue:
        session = waiting_at(session, queue)
    elif session.queue_position:
        session = replace(session, queue_position=0)
    if why := _why_waiting(session, seen):
        session = replace(session, reason=why)
    if seen.attached and session.reason and session.reason.key == "node.none":
        tied = attached.why(seen.attached, session.reason.raw)
        session = replace(session, reason=tied)
    return replace(record, session=session)


def _why_waiting(session: Session, seen: Seen) -> Reason | None:
    """Return why a session waits beyond what its engine says.

    An engine that says nothing may be away, and its webhooks then refuse the pod.
    """
    if seen.admission.admitted:
        return why_waiting(session.spec.project, seen)
    queue = seen.admission.queue
    return None if queue and queue.reason else why_refused(session.spec.project, seen)


def _live(record: Record, seen: Seen, now: datetime) -> Record:
    record = followed(record, seen)
    session, pod = record.session, seen.pod(record.pod)
    if ended := ended_together(session, seen, now):
        return replace(record, session=ended)
    if pod is None or pod.metadata.deletion_timestamp or not _is_kept(seen):
        session = _interrupted(record, seen, now)
    elif why := interrupted(pod):
        session = requeued(session, why, now)
    elif (found := exit_of(session, pod)) and not unfinished(session, seen):
        session = conclude(session, pod, found, now)
    elif pod.spec.node_name in seen.lost:
        lost = removed(pod.spec.node_name, pod, lost=True)
        session = replace(session, reason=lost)
    elif session.state == "starting":
        session = _starting(session, seen, now)
    else:
        session = replace(session, reason=None)
    return replace(record, session=session)


def _starting(session: Session, seen: Seen, now: datetime) -> Session:
    pod = seen.present
    if pod is None:
        return session
    session = images.noted(session, seen, pod, now)
    if session.spec.processes > 1 and seen.placement:
        session = replace(session, placement=seen.placement)
    if incomplete(session, seen):
        return session
    if is_ready(pod) or (is_running(pod) and not session.spec.serves_jupyter):
        key = "progress.ready" if session.spec.serves_jupyter else "progress.running"
        return note(move(session, "running", now), message(key), now)
    why = why_not_ready(seen, pod)
    if seen.overdue and seen.overdue.run == session.run:
        return move(session, "stopping", now, never_ready(seen.overdue.limit, why))
    return replace(session, reason=why)


def _stopping(record: Record, seen: Seen, now: datetime) -> Record:
    session = record.session
    if not _is_gone(record, seen):
        told = _told_late(session, seen) if session.goal == "requeue" else session
        return replace(record, session=told)
    if session.goal == "run":  # it failed to start
        return replace(record, session=move(session, "failed", now, session.reason))
    return replace(record, session=finish_end(concluded(session), now), pod="")


def _told_late(session: Session, seen: Seen) -> Session:
    """Return a session with the preemption that it lost its GPUs by, which an engine may tell late.

    KAI Scheduler deletes the pod, and writes for whom at the same time.
    """
    found, known = seen.admission.reclaim, session.reclaimed
    began = session.started
    if found is None or began is None or found.at < began.replace(microsecond=0):
        return session
    if known and known.at >= found.at:
        return session
    why = seen.admission.reason if session.state == "stopping" else session.reason
    return replace(session, reclaimed=found, reason=why)


def _is_gone(record: Record, seen: Seen) -> bool:
    """Return whether the pod of a run has gone.

    Where a pod was interrupted, its workload stays up: the next pod is queued already.
    """
    session = record.session
    if session.goal == "requeue" and is_replaced(seen.workload, session):
        return all(pod.metadata.uid != record.pod for pod in seen.live)
    return has_ended(seen)


def _is_kept(seen: Seen) -> bool:
    """Return whether the engine leaves a session its GPUs."""
    return seen.admission.admitted or seen.admission.reclaim is None


def _interrupted(record: Record, seen: Seen, now: datetime) -> Session:
    """Return a session whose pod has gone, or is going, without its user's request."""
    session, admission = record.session, seen.admission
    if admission.reclaim and admission.reason:
        leaving = requeued(session, admission.reason, now)
        return replace(leaving, reclaimed=admission.reclaim)
    node = session.placement.node if session.placement else ""
    pod = seen.pod(record.pod)
    why = (interrupted(pod) if pod else None) or removed(node, pod, lost=node in seen.lost)
    return requeued(session, why, now)
