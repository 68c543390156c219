"""How the pod of a session ended, and why. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec.structs import replace

from ...core.lifecycle import move
from ...core.usage.exhausted import out_of_gpu_memory
from ...model.ending import Exit
from ...model.messages.build import reason, sentences_of
from ...model.messages.formats import time_arg
from ...model.reasons import Reason
from ...model.sessions import Session
from ..objects.pods import ContainerStatus, Pod, Terminated
from .seen import FINISHED, is_launcher, main_status, process_of

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
    status = main_status(pod)
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
    status = main_status(pod)
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
    status = main_status(pod)
    ended = last_end(status) if status else None
    return crash_loop(status.restart_count, _exit(ended)) if status and ended else None


def _exit(ended: Terminated) -> Exit:
    at = ended.finished_at or ended.started_at
    lines = tuple(ended.message.splitlines()[-LINES:])
    name = _SIGNALS.get(ended.signal or max(0, ended.exit_code - 128), "")
    return Exit(code=ended.exit_code, at=at or _UNKNOWN, signal=name, last_lines=lines)
