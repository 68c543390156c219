"""Why KAI does not start a session: what it says for certain, else the numbers. Pure.

Bounds of queues are read from the numbers that KAI compared, and from its words where it tells
none. Over quota, full, fragmented and protected have the same words. What our own scheduler finds
in the numbers of the cluster tells them apart.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec.structs import replace

from ....core.scheduling.cycle import Cycle
from ....core.scheduling.queue import queue_key
from ....core.scheduling.scheduler import run_cycle
from ....core.scheduling.snapshot import ClusterSnapshot
from ....model.messages.build import reason, reason_of
from ....model.messages.formats import Arg, time_arg
from ....model.reasons import Reason, ReasonCode
from ....model.resources import MILLI, Placement
from ....model.sessions import Session
from ...objects.pods import Pod
from ...quantities import Quantity, exact
from ...shares.gpu_node import GPU
from .objects import Amounts, PodGroup, PodGroupReason, QueueDetails

_FIXED = re.compile(
    r"Workload requested (?P<more>\S+) GPUs, but (?P<queue>\S+) quota is (?P<bound>\S+) GPUs, "
    r"while (?P<used>\S+) GPUs are already allocated"
)
_LIMIT = re.compile(
    r"(?P<queue>\S+) quota has reached the allowable limit of GPUs\. Limit is (?P<bound>\S+) GPUs, "
    r"currently (?P<used>\S+) GPUs allocated and workload requested (?P<more>\S+) GPUs"
)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound of a queue as KAI tells it, and our words for it; `field` is its argument.

    `amounts` returns the bound, what is in use of it, and what is requested.
    """

    code: ReasonCode
    key: str
    field: str
    words: re.Pattern[str]
    amounts: Callable[[QueueDetails], tuple[Amounts, Amounts, Amounts]]


def _guaranteed(details: QueueDetails) -> tuple[Amounts, Amounts, Amounts]:
    return (
        details.queue_deserved_resources,
        details.queue_allocated_non_preemptible_resources,
        details.pod_group_requested_non_preemptible_resources,
    )


def _limited(details: QueueDetails) -> tuple[Amounts, Amounts, Amounts]:
    return (
        details.queue_resource_limits,
        details.queue_allocated_resources,
        details.pod_group_requested_resources,
    )


_BOUNDS: Mapping[str, _Bound] = {
    "NonPreemptibleOverQuota": _Bound(
        "OverQuota", "quota.interactive", "quota", _FIXED, _guaranteed
    ),
    "OverLimit": _Bound("OverLimit", "quota.limit", "limit", _LIMIT, _limited),
}
_MISSING = re.compile(r"Queue '(?P<queue>[^']*)' does not exist")


class Numbers:
    """A snapshot of a cluster, and what our own scheduler finds in it.

    `spent` returns, for a cycle that begins, when to look for no more sessions to preempt.
    """

    def __init__(
        self, snapshot: ClusterSnapshot, spent: Callable[[], Callable[[], bool]] = lambda: bool
    ) -> None:
        self.snapshot = snapshot
        self._spent = spent

    def why(self, session_id: str) -> Reason | None:
        """Return why a session is queued by the numbers, None if nothing in them prevents it."""
        found = self._cycle.outcomes.get(session_id)
        if not isinstance(found, Reason):
            return None
        if found.key == "reclaim.pending":  # KAI decides: it may not have begun
            return reason("BeingReclaimed", "reclaim.expected", sessions=found.args["sessions"])
        return found if _is_reclaimed(found) else self._protects(session_id) or found

    def place(self, session: Session) -> int:
        """Return the position of a session in the queue of its project, from 1."""
        return self._places.get((session.spec.project, session.id), 0)

    @cached_property
    def _places(self) -> Mapping[tuple[str, str], int]:
        """The positions of queued sessions by project and id."""
        found: dict[tuple[str, str], int] = {}
        numbers: dict[str, int] = {}
        waiting = (s for s in self.snapshot.sessions if s.state == "waiting")
        for each in sorted(waiting, key=queue_key):
            project = each.spec.project
            found[project, each.id] = numbers[project] = numbers.get(project, 0) + 1
        return found

    def _protects(self, session_id: str) -> Reason | None:
        """Return that GPUs would be reclaimed for a session, but their holders are protected."""
        until = min(self._cycle.protected, default=None)
        if until is None or not _is_reclaimed(self._later.outcomes.get(session_id)):
            return None
        return reason("NoNodeFits", "reclaim.protected", until=time_arg(until))

    @cached_property
    def _cycle(self) -> Cycle:
        """The cycle of the present state."""
        return run_cycle(self.snapshot, self._spent())

    @cached_property
    def _later(self) -> Cycle:
        """The cycle of the present state if nobody were protected."""
        projects = [replace(each, min_runtime=0) for each in self.snapshot.projects]
        return run_cycle(dataclasses.replace(self.snapshot, projects=projects), self._spent())


def said(group: PodGroup | None, pod: Pod | None) -> tuple[PodGroupReason, ...]:
    """Return what KAI says of a workload that it does not start; its pod's words come last."""
    conditions = group.status.scheduling_conditions if group else ()
    found = [
        each
        for condition in conditions
        if condition.type == "UnschedulableOnNodePool" and condition.status == "True"
        for each in condition.reasons or (PodGroupReason(message=condition.message),)
    ]
    of_pod = (
        PodGroupReason(reason=condition.reason, message=condition.message)
        for condition in (pod.status.conditions if pod else ())
        if condition.type in ("PodScheduled", "PodBound") and condition.status == "False"
    )
    return (*found, *of_pod)


def explained(
    words: Iterable[PodGroupReason], session: Session, numbers: Numbers, queue: str
) -> Reason | None:
    """Return why a session is queued; None while KAI has said nothing, and nothing prevents it."""
    told = tuple(words)
    raw = " ".join(dict.fromkeys(each.message for each in told if each.message))
    project = session.spec.project
    for each in told:
        if found := _told(each, project, queue):
            return replace(found, raw=raw)
    if found := numbers.why(session.id):
        return replace(found, raw=raw)
    return reason("NoNodeFits", "node.none", raw=raw) if told else None


def _told(each: PodGroupReason, project: str, queue: str) -> Reason | None:
    """Return what words say for certain."""
    if bound := _BOUNDS.get(each.reason):
        return _beyond(bound, each, project, queue)
    if each.reason == "QueueDoesNotExist":
        missing = _MISSING.search(each.message)
        name = missing["queue"] if missing else queue
        return reason("QueueMissing", "queue.missing", queue=name, project=project)
    if "Failed to bind" in each.message:
        detail = "KAI Scheduler could not get the GPU from its node"
        return reason("StartFailed", "container.failed", detail=detail)
    return None


def _beyond(bound: _Bound, each: PodGroupReason, project: str, queue: str) -> Reason:
    """Return which bound of GPUs would be exceeded, or that one of CPU or memory would be."""
    compared = _compared(bound, each)
    if compared is None:
        return reason(bound.code, "queue.refuses", queue=queue, project=project)
    name, (most, used, more) = compared
    args: dict[str, Arg] = {
        "project": _owner(name, queue, project),
        "used": used,
        "more": more,
        "missing": max(0, used + more - most),
        bound.field: most,
    }
    return reason_of(bound.code, bound.key, args)


def _compared(bound: _Bound, each: PodGroupReason) -> tuple[str, tuple[int, int, int]] | None:
    """Return a queue with the bound, use and request of GPUs; None if it is not about GPUs.

    A bound of 0 GPUs may mean that there is none: only the words tell then.
    """
    if each.details and (details := each.details.queue_details):
        most, used, more = (_milli(amounts.get(GPU, 0)) for amounts in bound.amounts(details))
        if 0 < most < used + more:
            return details.name, (most, used, more)
    if words := bound.words.search(each.message):
        most, used, more = (_milli(words[name]) for name in ("bound", "used", "more"))
        return words["queue"], (most, used, more)
    return None


def _owner(said_queue: str, queue: str, project: str) -> str:
    """Return whose bound it is: the project's own, or that of a queue above it."""
    return project if said_queue == queue else said_queue


def _milli(text: Quantity) -> int:
    try:
        return round(exact(text) * MILLI)
    except ValueError:
        return 0


def _is_reclaimed(outcome: Placement | Reason | None) -> bool:
    """Return whether GPUs are, or would be, released for a session."""
    return isinstance(outcome, Reason) and outcome.code == "BeingReclaimed"
