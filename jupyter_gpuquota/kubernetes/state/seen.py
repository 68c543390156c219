"""What the cluster shows of one session.

Which objects belong to a session's workload, by what owns them. Pure.

Labels do not decide this: anyone who may create pods can write any label.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ...model.reasons import Reason
from ...model.resources import Isolation, Placement
from ...model.sessions import Session
from ..engines.engine import Admission, EnginePatch
from ..labels import ATTACHED, COMPLETE, MPI_INDEX, MPI_ROLE, PROCESS, SHAPE
from ..objects.meta import Object
from ..objects.pods import Event, Pod
from ..objects.workloads import MpiJob, StatefulSet, Workload
from .attached import Attached, mark
from .record import shape_of

T = TypeVar("T", bound=Object)
Owners = Mapping[str, Object]
"""The objects between workloads and pods, such as the Job of a launcher, by uid."""

_MOST = 4
"""Most objects between a pod and its workload."""


def owned(root: Object, found: Iterable[T], between: Owners) -> list[T]:
    """Return the objects that another one owns, directly or through objects between them.

    Owners are in the namespace of what they own.
    """
    return [each for each in found if _belongs(each, root, between, _MOST)]


def _belongs(item: Object, root: Object, between: Owners, left: int) -> bool:
    if item.metadata.namespace != root.metadata.namespace:
        return False
    uids = [owner.uid for owner in item.metadata.owner_references]
    if root.metadata.uid in uids:
        return True
    above = (between[uid] for uid in uids if uid in between)
    return left > 0 and any(_belongs(each, root, between, left - 1) for each in above)


FINISHED = ("Succeeded", "Failed")
"""Phases of pods whose containers have all ended for good."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """The run of a session that should have been ready within `limit` seconds."""

    run: int
    limit: int


@dataclass(frozen=True, slots=True)
class Seen:
    """The objects of one session, and what the engine says.

    `pods` are all that carry its label, `between` what may own them below its workload, `events`
    those of its workload and pods. `placement` is that of the present pod, `isolation` what
    isolates its share. `lost` names the nodes that do not respond. `engine` is what the engine adds
    to a workload. `overdue` is the run that takes too long to start. `data` is why its datasets are
    not there, None if they are. `attached` are the volumes that tie it to nodes while it waits.
    `is_left` says that pods still run although their training has ended, and nobody ends them.
    """

    workload: Workload | None = None
    pods: Sequence[Pod] = ()
    between: Owners = field(default_factory=dict)
    events: Sequence[Event] = ()
    admission: Admission = field(default_factory=Admission)
    placement: Placement | None = None
    isolation: Isolation | None = None
    lost: frozenset[str] = frozenset()
    engine: EnginePatch = field(default_factory=EnginePatch)
    overdue: Overdue | None = None
    data: Reason | None = None
    attached: Sequence[Attached] = ()
    is_left: bool = False

    @property
    def live(self) -> tuple[Pod, ...]:
        """The pods that hold their resources, or may still get some."""
        return tuple(pod for pod in self.pods if pod.status.phase not in FINISHED)

    @property
    def present(self) -> Pod | None:
        """The newest pod of process 0 that is not being deleted.

        A launcher comes last: until then it is the first worker that is there.
        """
        first = present_pod(self.workload, self.pods, self.between)
        workers = self.processes if first is None and self.is_led else ()
        return next((pod for pod in workers if pod.metadata.deletion_timestamp is None), first)

    @property
    def is_led(self) -> bool:
        """Whether a launcher runs the command, and the other processes wait for it."""
        return isinstance(self.workload, MpiJob)

    @property
    def processes(self) -> tuple[Pod, ...]:
        """The pods of the present workload, by the numbers of their processes."""
        return tuple(sorted(own_pods(self.workload, self.pods, self.between), key=process_of))

    @property
    def is_queued(self) -> bool:
        """Whether the engine is going to admit the workload, be there a pod or not.

        Kueue puts a StatefulSet that is scaled down on hold only if it holds quota
        (shouldReleaseReservation in its statefulset_reconciler.go); else it is admitted later, and
        what it then holds nobody can take back.
        """
        return self.engine.starts_jobs and self.admission.queue is not None

    def pod(self, uid: str) -> Pod | None:
        """Return the pod with a uid."""
        return next((pod for pod in self.pods if uid and pod.metadata.uid == uid), None)

    def engine_starts(self, workload: Workload) -> bool:
        """Return whether the engine, and not this program, lets a workload have a pod."""
        return self.engine.starts_jobs and workload.runs_once

    def of(self, *reasons: str, pod: Pod | None = None) -> Event | None:
        """Return the newest event with one of these reasons, of a pod if one is given."""
        found = [
            event
            for event in self.events
            if event.reason in reasons
            and (pod is None or event.involved_object.uid == pod.metadata.uid)
        ]
        return max(found, key=_at, default=None)


def present_pod(
    workload: Workload | None, pods: Iterable[Pod], between: Owners, process: int = 0
) -> Pod | None:
    """Return the newest pod of a workload's process that is not being deleted."""
    own = own_pods(workload, pods, between)
    own = [pod for pod in own if pod.metadata.deletion_timestamp is None]
    return max((pod for pod in own if process_of(pod) == process), key=_made, default=None)


def own_pods(workload: Workload | None, pods: Iterable[Pod], between: Owners) -> list[Pod]:
    """Return the pods that a workload has made, itself or through what it owns."""
    return owned(workload, pods, between) if workload else []


def process_of(pod: Pod) -> int:
    """Return the number of a pod's process in its training, from 0, which is a launcher's."""
    labels = pod.metadata.labels
    number, first = labels.get(PROCESS, ""), 0
    if MPI_ROLE in labels and not is_launcher(pod):
        number, first = labels.get(MPI_INDEX, ""), 1
    return first + int(number) if number.isdecimal() else 0


def is_launcher(pod: Pod) -> bool:
    """Return whether a pod is the launcher of an MPIJob."""
    return pod.metadata.labels.get(MPI_ROLE) == "launcher"


def is_complete(workload: Workload) -> bool:
    """Return whether the other objects of the session were made for its next start."""
    return COMPLETE in workload.metadata.annotations


def fits(workload: Workload, session: Session) -> bool:
    """Return whether a workload was made from a session's present request."""
    return workload.metadata.annotations.get(SHAPE) == shape_of(session)


def is_replaced(workload: Workload | None, session: Session) -> bool:
    """Return whether the pod of an interrupted session is replaced by itself.

    Several processes start together or not at all, so all of them are made anew.
    """
    return workload is not None and session.spec.processes == 1 and fits(workload, session)


def is_where_volumes_are(workload: Workload, attached: Iterable[Attached]) -> bool:
    """Return whether the pod of a workload may run on those nodes alone where its volumes are."""
    return workload.metadata.annotations.get(ATTACHED, "") == mark(attached)


def is_in_its_queue(workload: Workload, engine: EnginePatch) -> bool:
    """Return whether a workload has the queue and class that its engine gives it now.

    KAI keeps those with which a StatefulSet had its first pod. A Job is made anew for each run.
    """
    labels = workload.metadata.labels
    return workload.runs_once or engine.labels.items() <= labels.items()


def has_ended(seen: Seen) -> bool:
    """Return whether no pod is left, and none can come."""
    workload = seen.workload
    if seen.live:
        return False
    if workload is None or workload.is_finished:
        return True
    if isinstance(workload, StatefulSet):
        observed = workload.status.observed_generation >= workload.metadata.generation
        return observed and not workload.is_up
    return not workload.is_up


def is_ready(pod: Pod) -> bool:
    """Return whether a pod serves."""
    return any(c.type == "Ready" and c.status == "True" for c in pod.status.conditions)


def is_running(pod: Pod) -> bool:
    """Return whether the session's container runs, be it ready or not."""
    status = pod.main_status
    return status is not None and status.state.running is not None


def unscheduled(pod: Pod) -> str:
    """Return why the scheduler finds no node for a pod, empty if it does, or has not tried.

    A pod with a gate is one that its engine holds back: the scheduler does not look at it.
    """
    said = (c for c in pod.status.conditions if c.type == "PodScheduled" and c.status != "True")
    return next((c.message for c in said if c.reason != "SchedulingGated"), "")


def _made(pod: Pod) -> float:
    made = pod.metadata.creation_timestamp
    return made.timestamp() if made else 0.0


def _at(event: Event) -> float:
    at = event.last_timestamp or event.event_time or event.metadata.creation_timestamp
    return at.timestamp() if at else 0.0
