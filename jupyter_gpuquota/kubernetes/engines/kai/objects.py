"""KAI Scheduler's objects as far as they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from ....model.resources import MILLI
from ...objects.meta import Object, Record
from ...resources import Resource

STEP = 10
"""KAI rounds what a workload requests of a GPU to hundredths; in milli-GPU."""
_SURPLUS = 9e-11
"""What a bound is written with in addition, in GPUs.

KAI up to 0.17 compares sums of floats exactly: 0.1 + 0.2 exceeds a quota of 0.3, and 0.2 + 0.4 +
0.3 + 0.1 one of 1 (https://github.com/kai-scheduler/KAI-Scheduler/issues/2209). This is more than
the sums are off, and less than the 1e-9 that later versions tolerate, also for ten queues: KAI
divides what is left over in whole GPUs, and a larger one would cost a queue the last of them.
"""
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|us|µs|ns|m|s)", re.ASCII)


def milli_of(amount: float) -> int | None:
    """Return an amount of GPUs in milli-GPU, None for one without bounds."""
    return None if amount < 0 else round(amount * MILLI)


def gpus_of(milli: int | None) -> float:
    """Return milli-GPU as KAI's amount, which sums of fractions do not exceed."""
    if milli is None:
        return UNLIMITED
    return milli / MILLI + _SURPLUS if milli else NOTHING


def weight_of(found: QueueResource) -> int:
    """Return the weight over quota in thousandths; KAI's counts as GPUs do."""
    return round(found.over_quota_weight * MILLI)


def seconds(duration: str) -> int:
    """Return a duration of Go, such as `1h30m`, in seconds; 0 for none or an unreadable one."""
    parts = _PART.findall(duration)
    if "".join(number + unit for number, unit in parts) != duration:
        return 0
    return round(sum(float(number) * _SECONDS[unit] for number, unit in parts))


UNLIMITED = -1.0
"""A quota or limit without bounds."""
NOTHING = 0.0
"""What an absent quota or limit means: nothing guaranteed, nothing allowed."""


class QueueResource(Record, frozen=True, kw_only=True):
    """What a queue has of one resource: devices, thousandths of a CPU, or MB."""

    quota: float = NOTHING
    limit: float = NOTHING
    over_quota_weight: float = NOTHING


class QueueResources(Record, frozen=True, kw_only=True):
    """What a queue has of all resources; each is checked, on the queue and above it."""

    gpu: QueueResource = QueueResource()
    cpu: QueueResource = QueueResource()
    memory: QueueResource = QueueResource()


class QueueSpec(Record, frozen=True, kw_only=True):
    """The settings of a queue; run times are durations such as `10m`."""

    parent_queue: str = ""
    priority: int = 100
    preempt_min_runtime: str = ""
    reclaim_min_runtime: str = ""
    resources: QueueResources = QueueResources()


class Queue(Object, frozen=True, kw_only=True):
    """A Queue: a department, or below it a leaf that workloads go to."""

    spec: QueueSpec = QueueSpec()


Amounts = Mapping[str, str | int]
"""Quantities by resource. KAI writes no bounds as -1 of CPU and memory, but as 0 of GPUs."""


class QueueDetails(Record, frozen=True, kw_only=True):
    """What a pod group requests, and what a queue has and may have, as KAI compared it."""

    name: str = ""
    pod_group_requested_resources: Amounts = msgspec.field(default_factory=dict)
    pod_group_requested_non_preemptible_resources: Amounts = msgspec.field(default_factory=dict)
    queue_allocated_resources: Amounts = msgspec.field(default_factory=dict)
    queue_allocated_non_preemptible_resources: Amounts = msgspec.field(default_factory=dict)
    queue_deserved_resources: Amounts = msgspec.field(default_factory=dict)
    queue_resource_limits: Amounts = msgspec.field(default_factory=dict)


class ReasonDetails(Record, frozen=True, kw_only=True):
    """The numbers of a reason, where KAI tells them."""

    queue_details: QueueDetails | None = None


class PodGroupReason(Record, frozen=True, kw_only=True):
    """One reason why a pod group is not scheduled."""

    reason: str = ""
    message: str = ""
    details: ReasonDetails | None = None


class SchedulingCondition(Record, frozen=True, kw_only=True):
    """A condition of a pod group's scheduling."""

    type: str = ""
    status: str = ""
    message: str = ""
    reasons: tuple[PodGroupReason, ...] = ()


class PodGroupSpec(Record, frozen=True, kw_only=True):
    """The queue and the class of a pod group."""

    queue: str = ""
    priority_class_name: str = ""
    preemptibility: str = ""


class PodGroupStatus(Record, frozen=True, kw_only=True):
    """Why a pod group is not scheduled."""

    scheduling_conditions: tuple[SchedulingCondition, ...] = ()


class PodGroup(Object, frozen=True, kw_only=True):
    """A PodGroup: the pods of a StatefulSet, Job or other object, as KAI schedules them."""

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class ProjectQueue(Record, frozen=True, kw_only=True):
    """A queue that is made for a project."""

    name: str


class KaiProjectSpec(Record, frozen=True, kw_only=True):
    """The namespace of a project, and its queues, one for each pool of nodes."""

    namespace: str = ""
    queues: tuple[ProjectQueue, ...] = ()


class KaiProjectStatus(Record, frozen=True, kw_only=True):
    """The namespace that a project has been given."""

    namespace: str = ""


class KaiProject(Object, frozen=True, kw_only=True):
    """A Project of KAI's resource management, which makes queues of it."""

    spec: KaiProjectSpec = KaiProjectSpec()
    status: KaiProjectStatus = KaiProjectStatus()

    @property
    def namespace(self) -> str:
        """The namespace of the project."""
        return self.status.namespace or self.spec.namespace or self.metadata.name


class PriorityClass(Object, frozen=True, kw_only=True):
    """A PriorityClass of the cluster."""


GROUP, VERSION = "scheduling.run.ai", "v2"
PROJECTS_GROUP, PROJECTS_VERSION = "kai.resources", "v1alpha1"
QUEUES = Resource(GROUP, VERSION, "queues", "Queue", Queue, namespaced=False)
POD_GROUPS = Resource(GROUP, "v2alpha2", "podgroups", "PodGroup", PodGroup)
KAI_PROJECTS = Resource(
    PROJECTS_GROUP, PROJECTS_VERSION, "projects", "Project", KaiProject, namespaced=False
)
PRIORITY_CLASSES = Resource(
    "scheduling.k8s.io",
    "v1",
    "priorityclasses",
    "PriorityClass",
    PriorityClass,
    namespaced=False,
)

Queues = Mapping[str, Queue]
"""Queues by name."""
