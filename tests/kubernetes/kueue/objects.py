"""Kueue's objects as the real server gives them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from jupyter_gpuquota.kubernetes.engines.kueue.objects import (
    ClusterQueue,
    Cohort,
    LocalQueue,
    Workload,
    WorkloadPriorityClass,
)
from jupyter_gpuquota.kubernetes.engines.kueue.state import KueueState
from jupyter_gpuquota.kubernetes.engines.surroundings import GpuResources
from jupyter_gpuquota.kubernetes.objects.meta import Object

T = TypeVar("T", bound=Object)
Raw = dict[str, Any]

GPUS = GpuResources(milli="lab/milligpu")
CREATED = "2026-11-22T12:41:03Z"
KINDS: Mapping[str, tuple[str, type[Object]]] = {
    "ClusterQueue": ("cluster_queues", ClusterQueue),
    "Cohort": ("cohorts", Cohort),
    "LocalQueue": ("local_queues", LocalQueue),
    "Workload": ("workloads", Workload),
    "WorkloadPriorityClass": ("priority_classes", WorkloadPriorityClass),
}
ACTIVE = [{"type": "Active", "status": "True", "reason": "Ready", "message": "Can admit"}]


def recorded(name: str) -> list[Raw]:
    """Return objects that were recorded on a real cluster."""
    path = Path(__file__).with_name(f"{name}.json")
    found: list[Raw] = json.loads(path.read_text())
    return found


def state(*objects: Raw) -> KueueState:
    """Return the state that these objects make."""
    found: dict[str, list[Object]] = {field: [] for field, _ in KINDS.values()}
    for raw in objects:
        field, record = KINDS[raw["kind"]]
        found[field].append(msgspec.convert(raw, record))
    return KueueState(**{field: tuple(each) for field, each in found.items()}, gpus=GPUS)


def cluster_queue(
    name: str,
    nominal: int,
    cohort: str = "gpus",
    *,
    borrowing: int | None = None,
    lending: int | None = None,
    reclaim: str = "Any",
    within: str = "LowerPriority",
    resource: str = "lab/milligpu",
    **spec: Any,
) -> Raw:
    """Return a ClusterQueue; amounts are units of the resource."""
    quota: Raw = {"name": resource, "nominalQuota": str(nominal)}
    if borrowing is not None:
        quota["borrowingLimit"] = str(borrowing)
    if lending is not None:
        quota["lendingLimit"] = str(lending)
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": name, "uid": f"uid-{name}", "resourceVersion": "7"},
        "spec": {
            "cohortName": cohort,
            "namespaceSelector": {},
            "preemption": {"reclaimWithinCohort": reclaim, "withinClusterQueue": within},
            "queueingStrategy": "BestEffortFIFO",
            "resourceGroups": [
                {
                    "coveredResources": ["cpu", "memory", resource],
                    "flavors": [
                        {
                            "name": "v100",
                            "resources": [
                                {"name": "cpu", "nominalQuota": "1000"},
                                {"name": "memory", "nominalQuota": "10Ti"},
                                quota,
                            ],
                        }
                    ],
                }
            ],
            **spec,
        },
        "status": {"conditions": ACTIVE},
    }


def cohort(name: str, parent: str = "") -> Raw:
    """Return a Cohort."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Cohort",
        "metadata": {"name": name, "resourceVersion": "3"},
        "spec": {"parentName": parent} if parent else {},
    }


def local_queue(namespace: str, name: str, behind: str, **spec: Any) -> Raw:
    """Return a LocalQueue."""
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": name, "namespace": namespace, "resourceVersion": "5"},
        "spec": {"clusterQueue": behind, **spec},
        "status": {"conditions": ACTIVE},
    }


def workload(
    namespace: str,
    name: str,
    milli: int,
    queue: str = "gpus",
    *,
    held: str = "",
    priority: int = 50,
    conditions: Sequence[Raw] = (),
    created: str = CREATED,
) -> Raw:
    """Return the Workload of an object; `held` is the ClusterQueue that has given it its quota."""
    resources = {"cpu": "1", "lab/milligpu": str(milli), "memory": "1Gi"}
    status: Raw = {"conditions": list(conditions)}
    if held:
        flavors = dict.fromkeys(resources, "v100")
        part = {"name": "main", "count": 1, "flavors": flavors, "resourceUsage": resources}
        status["admission"] = {"clusterQueue": held, "podSetAssignments": [part]}
        reserved = said("QuotaReserved", "True", "QuotaReserved", "Quota reserved", at=created)
        admitted = said("Admitted", "True", "Admitted", "The workload is admitted")
        status["conditions"] = [reserved, admitted, *conditions]
    else:
        status["resourceRequests"] = [{"name": "main", "resources": resources}]
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {
            "name": f"statefulset-{name}-1a2b3",
            "namespace": namespace,
            "uid": uid(name),
            "creationTimestamp": created,
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": name, "uid": f"o-{name}"}
            ],
        },
        "spec": {"queueName": queue, "priority": priority},
        "status": status,
    }


def uid(name: str) -> str:
    """Return the uid of the Workload of an object, in the form of real ones."""
    return f"{zlib.crc32(name.encode()):08x}-0000-4000-8000-000000000000"


def said(kind: str, status: str, reason: str, text: str, at: str = CREATED) -> Raw:
    """Return a condition."""
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": text,
        "lastTransitionTime": at,
    }


def team(name: str, quota: int, **queue: Any) -> list[Raw]:
    """Return one ClusterQueue and the LocalQueue `gpus` of a namespace."""
    return [cluster_queue(name, quota, **queue), local_queue(name, "gpus", name)]


def nested(name: str, quota: int) -> list[Raw]:
    """Return a team as the documentation recommends: a Cohort with two ClusterQueues.

    That of interactive sessions has the quota and does not borrow; the other one has none.
    """
    return [
        cohort(name, "gpus"),
        cluster_queue(f"{name}-interactive", quota, name, borrowing=0),
        cluster_queue(name, 0, name),
        local_queue(name, "gpus", name),
        local_queue(name, "interactive", f"{name}-interactive"),
    ]
