"""Kueue's objects as far as they are read (`kueue.x-k8s.io/v1beta2`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from ...objects.cluster import Quantities
from ...objects.meta import Condition, Object, Owner, Record
from ...objects.pods import PodSpec
from ...quantities import Quantity
from ...resources import Resource

Policy = Literal["Never", "LowerPriority", "LowerOrNewerEqualPriority", "Any"]
"""Whose workloads may be preempted. Readers treat unknown ones as `Never`."""


class ResourceLimit(Record, frozen=True, kw_only=True):
    """The quota of one resource; None: no limit."""

    name: str
    nominal_quota: Quantity = 0
    borrowing_limit: Quantity | None = None
    lending_limit: Quantity | None = None


class FlavorQuotas(Record, frozen=True, kw_only=True):
    """The quotas of one flavor."""

    name: str
    resources: tuple[ResourceLimit, ...] = ()


class ResourceGroup(Record, frozen=True, kw_only=True):
    """Resources that are given in the same flavor."""

    covered_resources: tuple[str, ...] = ()
    flavors: tuple[FlavorQuotas, ...] = ()


class FairSharing(Record, frozen=True, kw_only=True):
    """The weight in fair sharing."""

    weight: Quantity = 1


class BorrowWithinCohort(Record, frozen=True, kw_only=True):
    """Whether a borrower may preempt others."""

    policy: str = "Never"
    max_priority_threshold: int | None = None


class Preemption(Record, frozen=True, kw_only=True):
    """Whose workloads a ClusterQueue may preempt; see `Policy`."""

    reclaim_within_cohort: str = "Never"
    within_cluster_queue: str = "Never"
    borrow_within_cohort: BorrowWithinCohort = BorrowWithinCohort()


class ClusterQueueSpec(Record, frozen=True, kw_only=True):
    """What a ClusterQueue guarantees and may borrow."""

    cohort_name: str = ""
    resource_groups: tuple[ResourceGroup, ...] = ()
    preemption: Preemption = Preemption()
    fair_sharing: FairSharing | None = None
    stop_policy: str = "None"


class QueueStatus(Record, frozen=True, kw_only=True):
    """Whether a queue works."""

    conditions: tuple[Condition, ...] = ()


class ClusterQueue(Object, frozen=True, kw_only=True):
    """A ClusterQueue."""

    spec: ClusterQueueSpec = ClusterQueueSpec()
    status: QueueStatus = QueueStatus()


class CohortSpec(Record, frozen=True, kw_only=True):
    """What a Cohort adds to the quotas of its members."""

    parent_name: str = ""
    resource_groups: tuple[ResourceGroup, ...] = ()


class Cohort(Object, frozen=True, kw_only=True):
    """A Cohort: ClusterQueues, or other Cohorts, that lend to each other."""

    spec: CohortSpec = CohortSpec()


class LocalQueueSpec(Record, frozen=True, kw_only=True):
    """The ClusterQueue behind a LocalQueue."""

    cluster_queue: str = ""
    stop_policy: str = "None"


class LocalQueue(Object, frozen=True, kw_only=True):
    """A LocalQueue: a namespace's way into a ClusterQueue."""

    spec: LocalQueueSpec = LocalQueueSpec()
    status: QueueStatus = QueueStatus()


class PodTemplate(Record, frozen=True, kw_only=True):
    """The pods of a pod set."""

    spec: PodSpec = PodSpec()


class PodSet(Record, frozen=True, kw_only=True):
    """Equal pods of a workload."""

    count: int = 1
    template: PodTemplate = PodTemplate()


class PriorityClassRef(Record, frozen=True, kw_only=True):
    """The priority class of a workload."""

    name: str = ""


class WorkloadSpec(Record, frozen=True, kw_only=True):
    """What a workload requests, and from which queue."""

    queue_name: str = ""
    priority: int = 0
    priority_class_ref: PriorityClassRef | None = None
    pod_sets: tuple[PodSet, ...] = ()


class PodSetAssignment(Record, frozen=True, kw_only=True):
    """What a pod set was given: the flavor of each resource, and how much of it."""

    flavors: Mapping[str, str] = msgspec.field(default_factory=dict)
    resource_usage: Quantities = msgspec.field(default_factory=dict)


class Admission(Record, frozen=True, kw_only=True):
    """The quota that a workload was given."""

    cluster_queue: str
    pod_set_assignments: tuple[PodSetAssignment, ...] = ()


class PodSetRequest(Record, frozen=True, kw_only=True):
    """What a pod set requests, after Kueue has transformed it."""

    resources: Quantities = msgspec.field(default_factory=dict)


class WorkloadStatus(Record, frozen=True, kw_only=True):
    """Whether a workload has quota, and why not."""

    admission: Admission | None = None
    conditions: tuple[Condition, ...] = ()
    resource_requests: tuple[PodSetRequest, ...] = ()


class Workload(Object, frozen=True, kw_only=True):
    """A Workload: the pods of a StatefulSet, Job or other object, as Kueue queues them."""

    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()

    @property
    def owner(self) -> Owner | None:
        """The object whose pods it has: of a StatefulSet's references, the first that is no pod."""
        owners = self.metadata.owner_references
        return next((owner for owner in owners if owner.kind != "Pod"), next(iter(owners), None))

    @property
    def owner_name(self) -> str:
        """The name of the object whose pods it has, or its own."""
        return self.owner.name if self.owner else self.metadata.name


class WorkloadPriorityClass(Object, frozen=True, kw_only=True):
    """A WorkloadPriorityClass."""

    value: int = 0


def condition(conditions: Sequence[Condition], kind: str) -> Condition | None:
    """Return the condition of a type."""
    return next((each for each in conditions if each.type == kind), None)


def holds_true(conditions: Sequence[Condition], kind: str) -> bool:
    """Return whether the condition of a type is true."""
    found = condition(conditions, kind)
    return found is not None and found.status == "True"


GROUP, VERSION = "kueue.x-k8s.io", "v1beta2"
CLUSTER_QUEUES = Resource(
    GROUP, VERSION, "clusterqueues", "ClusterQueue", ClusterQueue, namespaced=False
)
COHORTS = Resource(GROUP, VERSION, "cohorts", "Cohort", Cohort, namespaced=False)
LOCAL_QUEUES = Resource(GROUP, VERSION, "localqueues", "LocalQueue", LocalQueue)
WORKLOADS = Resource(GROUP, VERSION, "workloads", "Workload", Workload)
PRIORITY_CLASSES = Resource(
    GROUP,
    VERSION,
    "workloadpriorityclasses",
    "WorkloadPriorityClass",
    WorkloadPriorityClass,
    namespaced=False,
)
FLAVORS = Resource(GROUP, VERSION, "resourceflavors", "ResourceFlavor", Object, namespaced=False)
