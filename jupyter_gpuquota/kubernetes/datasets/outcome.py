"""What the cluster shows of a Job on cached datasets: why it waits, and how it has ended. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ...errors import Unavailable
from ...model.reasons import Reason
from ..objects.pods import Event, Pod, Terminated
from ..objects.workloads import Job
from ..state.ends import last_end
from ..state.seen import Seen, is_running, main_status
from ..state.waiting import why_not_ready, why_waiting

End = Literal["done", "failed"]

_ENDS: Mapping[str, End] = {"Complete": "done", "SuccessCriteriaMet": "done", "Failed": "failed"}
_OUT_OF_MEMORY = "OOMKilled"


def why_idle(job: Job, pods: Sequence[Pod], events: Sequence[Event]) -> Reason | None:
    """Return why no pod of a Job does its work; None if one does, or nothing tells."""
    seen = Seen(workload=job, pods=pods, events=events)
    pod = seen.present
    if pod is None or not pod.spec.node_name:
        return why_waiting(job.metadata.namespace, seen)
    return None if is_running(pod) else why_not_ready(seen, pod)


def end_of(job: Job) -> End | None:
    """Return how a Job has ended; None while it goes on."""
    held = (c.type for c in job.status.conditions if c.status == "True" and c.type in _ENDS)
    return next((_ENDS[kind] for kind in held), None)


def failure_of(job: Job, pods: Sequence[Pod]) -> Unavailable:
    """Return why a Job has failed whose program did not say it."""
    name, namespace = job.metadata.name, job.metadata.namespace
    failed = next((c for c in job.status.conditions if c.type == "Failed"), None)
    if failed and failed.reason == "DeadlineExceeded":
        return Unavailable(
            f"The Job {name} took longer than it may.",
            hint="Try again, or ask an administrator to raise dataset_deadline.",
        )
    ended = [end for end in map(_end, pods) if end]
    if any(end.reason == _OUT_OF_MEMORY for end in ended):
        return Unavailable(
            f"The Job {name} ran out of memory.",
            hint="Ask an administrator to raise dataset_memory.",
        )
    lines = [line for end in ended for line in end.message.splitlines() if _is_said(line)]
    said = lines[-1] if lines else failed.message if failed else ""
    return Unavailable(
        f"The Job {name} in {namespace} has failed{f': {said}' if said else ''}.",
        hint=f"Its log says more: kubectl -n {namespace} logs job/{name}",
    )


def _is_said(line: str) -> bool:
    """Return whether a line is for people: reports are JSON."""
    return bool(line.strip()) and not line.startswith("{")


def _end(pod: Pod) -> Terminated | None:
    status = main_status(pod)
    return last_end(status) if status else None
