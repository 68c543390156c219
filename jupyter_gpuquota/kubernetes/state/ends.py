"""How the pod and the processes of a session ended, and why. Pure.

The session of a training with several processes follows the pod of process 0, or the launcher of an
MPIJob, which is a process besides those that were requested; what the others do is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from ...core.lifecycle import move, requeued
from ...core.usage.exhausted import out_of_gpu_memory
from ...model.ending import Exit
from ...model.messages.build import reason, sentences_of
from ...model.messages.formats import time_arg
from ...model.reasons import Reason
from ...model.resources import Placement
from ...model.sessions import Session
from ..objects.pods import ContainerStatus, Pod, Terminated
from .record import Record
from .seen import FINISHED, Seen, is_launcher, is_running, process_of

_SIGNALS = {2: "SIGINT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}
_UNKNOWN = datetime.fromtimestamp(0, UTC)

LINES = 20
"""Number of log lines stored with an exit."""

RESTARTS = 3
"""Exits of a Jupyter Server before it is ready, after which it is not restarted any more."""

_EVICTED = frozenset(
    {"Evicted", "Preempting", "Terminated", "NodeShutdown", "NodeLost", "Shutdown", "NodeAffinity"}
)
"""Words in `status.reason` of pods that a node has ended."""
_OUT_OF_MEMORY = "OOMKilled"


def interrupted(pod: Pod) -> Reason | None:
    """Return why a pod was ended by its node or by the scheduler; None if it was not."""
    status, node = pod.status, pod.spec.node_name
    target = next(
        (c for c in status.conditions if c.type == "DisruptionTarget" and c.status == "True"), None
    )
    if status.phase == "Failed" and status.reason in _EVICTED:
        raw = f"{status.reason}: {status.message}"
        return reason("Evicted", "exit.evicted", node=node, raw=raw)
    if target and (status.phase in FINISHED or pod.metadata.deletion_timestamp):
        raw = f"{target.reason}: {target.message}"
        return reason("Evicted", "exit.evicted", node=node, raw=raw)
    return None


def removed(node: str, pod: Pod | None, *, lost: bool) -> Reason:
    """Return why a pod has gone, or is going; `lost`: its node does not respond."""
    if lost:
        return reason("NodeLost", "exit.node_lost", node=node)
    raw = "The pod was deleted." if pod is None else f"The pod {pod.metadata.name} was deleted."
    return reason("Evicted", "exit.evicted", node=node, raw=raw)


def exit_of(session: Session, pod: Pod) -> Exit | None:
    """Return how the process of a session has ended for good; None while it runs, or runs again.

    The kubelet restarts a container that ends. That helps a server which could not start yet;
    a session that was running has lost its memory, so it has ended.
    """
    status = pod.main_status
    ended = last_end(status) if status else None
    if status is None or ended is None:
        return None
    may_restart = session.state == "starting" and session.spec.serves_jupyter
    if may_restart and status.restart_count < RESTARTS and pod.status.phase not in FINISHED:
        return None
    return _exit(ended)


def last_end(status: ContainerStatus) -> Terminated | None:
    """Return how a container has ended the last time; None if it never has."""
    return status.state.terminated or status.last_state.terminated


def conclude(session: Session, pod: Pod, found: Exit, now: datetime) -> Session:
    """Return a session whose process has ended as done or failed, with the reason."""
    ended = replace(session, exit=found)
    if found.code == 0:
        return move(ended, "done", now)
    return move(ended, "failed", now, _why(session, pod, found))


def _why(session: Session, pod: Pod, found: Exit) -> Reason:
    status = pod.main_status
    ended = last_end(status) if status else None
    last = next((line for line in reversed(found.last_lines) if line.strip()), "")
    if ended and ended.reason == _OUT_OF_MEMORY:
        return reason("OutOfMemory", "exit.memory", at=time_arg(found.at), raw=last)
    if said := out_of_gpu_memory(found.last_lines):
        return reason("OutOfMemory", "exit.gpu_memory", at=time_arg(found.at), raw=said)
    if session.state == "starting" and session.spec.serves_jupyter:
        return crash_loop(status.restart_count if status else 1, found)
    if found.signal:
        return reason("Killed", "exit.killed", signal=found.signal)
    if (count := session.spec.processes) > 1 and not is_launcher(pod):
        number, code = str(process_of(pod)), str(found.code)
        return reason(
            "CommandFailed", "exit.process", process=number, count=str(count), status=code, raw=last
        )
    return reason("CommandFailed", "exit.command", status=str(found.code), raw=last)


def crash_loop(times: int, found: Exit) -> Reason:
    """Return that a server exits again and again before it is ready, with its last lines."""
    raw = "\n".join(found.last_lines)
    return reason("CrashLoop", "crash.loop", times=max(1, times), status=str(found.code), raw=raw)


def never_ready(limit: int, why: Reason | None) -> Reason:
    """Return that a session was not ready within `limit` seconds, and what was in its way."""
    found = reason("StartTimeout", "start.timeout", limit=limit, raw=why.raw if why else "")
    for sentence in sentences_of(why) if why else ():
        found = found.extended(sentence)
    return found


def restarting(pod: Pod) -> Reason | None:
    """Return that a container was, or is about to be, restarted; None if it was not."""
    status = pod.main_status
    ended = last_end(status) if status else None
    return crash_loop(status.restart_count, _exit(ended)) if status and ended else None


def _exit(ended: Terminated) -> Exit:
    at = ended.finished_at or ended.started_at
    lines = tuple(ended.message.splitlines()[-LINES:])
    name = _SIGNALS.get(ended.signal or max(0, ended.exit_code - 128), "")
    return Exit(code=ended.exit_code, at=at or _UNKNOWN, signal=name, last_lines=lines)


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
