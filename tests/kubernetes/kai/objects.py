"""KAI's objects as the real scheduler leaves them."""

from __future__ import annotations

import zlib
from typing import Any

from jupyter_gpuquota.kubernetes.labels import SESSION, object_name
from jupyter_gpuquota.model.sessions import Session

Raw = dict[str, Any]

CREATED = "2026-11-22T12:41:03Z"
NODE_LABELS = {
    "nvidia.com/gpu.count": "8",
    "nvidia.com/gpu.memory": "32768",
    "nvidia.com/gpu.product": "Tesla-V100-SXM2-32GB",
}
UNBOUNDED = {"quota": -1, "limit": -1, "overQuotaWeight": 1}


def queue(
    name: str, quota: float = -1, *, parent: str = "all", limit: float = -1, **spec: Any
) -> Raw:
    """Return a leaf queue, or with `parent` empty a department; amounts are GPUs."""
    gpu = {"quota": quota, "limit": limit, "overQuotaWeight": max(quota, 1)}
    return {
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "spec": {
            **({"parentQueue": parent} if parent else {}),
            "resources": {"gpu": gpu, "cpu": UNBOUNDED, "memory": UNBOUNDED},
            **spec,
        },
    }


def uid(name: str) -> str:
    """Return the uid of an object, in the form of real ones."""
    return f"{zlib.crc32(name.encode()):08x}-0000-4000-8000-000000000000"


def group_name(session: Session) -> str:
    """Return the name that KAI gives the PodGroup of a session."""
    return f"pg-{object_name(session)}-{uid(object_name(session))}"


def pod_group(session: Session, queue_name: str, *reasons: Raw, **annotations: str) -> Raw:
    """Return the PodGroup of a session with the reasons why it is not scheduled."""
    classes = {"interactive": "build", "interactive-spot": "build-preemptible", "train": "train"}
    name = classes[session.spec.kind]
    condition = {
        "type": "UnschedulableOnNodePool",
        "status": "True",
        "nodePool": "default",
        "reason": "Unschedulable",
        "message": "; ".join(each["message"] for each in reasons),
        "reasons": list(reasons),
    }
    stamps = {f"kai.scheduler/{name.replace('_', '-')}": at for name, at in annotations.items()}
    return {
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "kind": "PodGroup",
        "metadata": {
            "name": group_name(session),
            "namespace": session.spec.project,
            "creationTimestamp": CREATED,
            "annotations": stamps,
        },
        "spec": {
            "minMember": 1,
            "queue": queue_name,
            "priorityClassName": name,
        },
        "status": {"schedulingConditions": [condition] if reasons else []},
    }


def said(reason: str, text: str, **details: Any) -> Raw:
    """Return one reason of a PodGroup; `details` are the numbers of a queue, as KAI names them."""
    found = {"details": {"queueDetails": details}} if details else {}
    return {"reason": reason, "message": text, **found}


NO_NODE = said(
    "PodSchedulingErrors",
    "no nodes with enough resources were found: 2 node(s) didn't have enough resources: GPUs.",
)
"""KAI's words for over quota, full, fragmented and protected."""


def pod(
    name: str,
    namespace: str = "team-a",
    *,
    gpus: int = 0,
    node: str = "",
    annotations: Raw | None = None,
    labels: Raw | None = None,
    scheduler: str = "kai-scheduler",
) -> Raw:
    """Return a pod; with `node` it is bound."""
    limits = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": uid(f"{namespace}/{name}"),
            "creationTimestamp": CREATED,
            "annotations": annotations or {},
            "labels": labels or {},
        },
        "spec": {
            "schedulerName": scheduler,
            "containers": [{"name": "session", "resources": {"limits": limits}}],
            **({"nodeName": node} if node else {}),
        },
        "status": {"phase": "Running" if node else "Pending"},
    }


def session_pod(session: Session, node: str = "", group: str = "") -> Raw:
    """Return the pod of a session as KAI binds it; `group` is the GPU that it shares."""
    share = session.spec.share
    annotations = {"pod-group-name": group_name(session)}
    if share.memory:
        annotations["gpu-memory"] = str(share.memory)
    elif share.milli % 1000:
        annotations["gpu-fraction"] = f"{share.milli / 1000}"
    labels = {SESSION: session.id, "kai.scheduler/queue": session.spec.project}
    if group:
        labels["runai-gpu-group"] = group
    return pod(
        f"{object_name(session)}-0",
        session.spec.project,
        gpus=share.devices,
        node=node,
        annotations=annotations,
        labels=labels,
    )


def reservation(group: str, node: str) -> Raw:
    """Return the pod that keeps a shared GPU."""
    return pod(
        f"gpu-reservation-{group}",
        "kai-resource-reservation",
        gpus=1,
        node=node,
        labels={"app": "kai-resource-reservation", "runai-gpu-group": group},
        annotations={"run.ai/reserve_for_gpu_index": f"GPU-{group}"},
        scheduler="default-scheduler",
    )


def evict(victim: Session, taker: Session, action: str = "reclaim", at: str = CREATED) -> Raw:
    """Return the event that KAI writes to the PodGroup of a session whose pod it deletes."""
    project = victim.spec.project
    return {
        "metadata": {
            "name": f"evict-{victim.id}",
            "namespace": project,
            "annotations": {
                "evictor-action-type": action,
                "evictor-pod-group-name": group_name(taker),
                "evictor-pod-group-namespace": taker.spec.project,
                "num-evicted-pods": "1",
            },
        },
        "reason": "Evict",
        "type": "Normal",
        "message": f"Pod {project}/{object_name(victim)}-0 was preempted by workload "
        f"{taker.spec.project}/{group_name(taker)}.",
        "involvedObject": {"kind": "PodGroup", "name": group_name(victim), "namespace": project},
        "lastTimestamp": at,
    }


def node(name: str, gpus: int = 8) -> Raw:
    """Return a node whose GPUs are given out whole."""
    amounts = {"nvidia.com/gpu": str(gpus), "cpu": "80", "memory": "500Gi", "pods": "110"}
    labels = {**NODE_LABELS, "nvidia.com/gpu.count": str(gpus), "kubernetes.io/hostname": name}
    return {
        "metadata": {"name": name, "labels": labels},
        "status": {
            "allocatable": amounts,
            "capacity": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }
