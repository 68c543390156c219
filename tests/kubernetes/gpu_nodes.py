"""Nodes as NVIDIA's device plugin and GPU feature discovery leave them."""

from __future__ import annotations

import json
from typing import Any

from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode, NodeSpec, NodeStatus, Taint
from jupyter_gpuquota.kubernetes.objects.meta import Condition, Meta
from jupyter_gpuquota.kubernetes.shares.gpu_node import GpuNode, gpu_node

MILLI = "lab/milligpu"
V100, A100 = "Tesla-V100-SXM2-32GB", "NVIDIA-A100-SXM4-40GB"


def make_node(
    name: str = "n1",
    resources: dict[str, Any] | None = None,
    *,
    ready: bool = True,
    cordoned: bool = False,
    taints: tuple[Taint, ...] = (),
    fake: bool = False,
    capacity: dict[str, Any] | None = None,
    annotations: dict[str, str] | None = None,
    labelled: dict[str, str] | None = None,
    **labels: Any,
) -> KubeNode:
    """Return a node; of the labels, `gpu_count` is `nvidia.com/gpu.count`.

    `labelled` are labels by their whole names.
    """
    named = {f"nvidia.com/{key.replace('_', '.', 1)}": str(v) for key, v in labels.items()}
    named = {key.replace("_", "-"): value for key, value in named.items()}
    allocatable = resources or {}
    return KubeNode(
        metadata=Meta(
            name=name,
            labels={"kubernetes.io/hostname": name, **named, **(labelled or {})},
            annotations={
                **(annotations or {}),
                **({"kwok.x-k8s.io/node": "fake"} if fake else {}),
            },
        ),
        spec=NodeSpec(unschedulable=cordoned, taints=taints),
        status=NodeStatus(
            allocatable=allocatable,
            capacity=capacity or allocatable,
            conditions=(Condition(type="Ready", status="True" if ready else "Unknown"),),
        ),
    )


def whole(name: str = "dgx1-1", gpus: int = 8, **more: Any) -> KubeNode:
    labels = {"gpu_count": gpus, "gpu_memory": 32_768, "gpu_product": V100}
    return make_node(name, {"nvidia.com/gpu": str(gpus), "cpu": "80"}, **{**labels, **more})


def sliced(name: str = "ts-1", replicas: int = 4, gpus: int = 2, **more: Any) -> KubeNode:
    return make_node(
        name,
        {"nvidia.com/gpu": str(gpus * replicas)},
        gpu_count=gpus,
        gpu_memory=32_768,
        gpu_product=f"{V100}-SHARED",
        gpu_replicas=replicas,
        gpu_sharing_strategy="time-slicing",
        **more,
    )


def mps(name: str = "mps-1", replicas: int = 2, gpus: int = 2) -> KubeNode:
    return make_node(
        name,
        {"nvidia.com/gpu.shared": str(gpus * replicas), "nvidia.com/gpu": "0"},
        gpu_count=gpus,
        gpu_memory=40_960,
        gpu_product=A100,
        gpu_replicas=replicas,
        gpu_sharing_strategy="mps",
    )


def mig_mixed(name: str = "mig-1") -> KubeNode:
    resources = {"nvidia.com/mig-1g.5gb": "4", "nvidia.com/mig-3g.20gb": "2", "nvidia.com/gpu": "1"}
    labels = {"gpu_count": 3, "gpu_memory": 40_960, "gpu_product": A100}
    return make_node(name, resources, **labels, **{"mig-1g.5gb_memory": 4864})


def mig_single(name: str = "mig-2") -> KubeNode:
    return make_node(
        name,
        {"nvidia.com/gpu": "14"},
        gpu_count=14,
        gpu_memory=4864,
        gpu_product=f"{A100}-MIG-1g.5gb",
    )


def counted(name: str = "kwok-1", gpus: int = 8) -> KubeNode:
    resources = {"nvidia.com/gpu": str(gpus), MILLI: f"{gpus}k"}
    labels = {"gpu_count": gpus, "gpu_memory": 32_768, "gpu_product": V100}
    return make_node(name, resources, fake=True, **labels)


def hami(name: str = "hami-1", gpus: int = 2, memory: int = 32_768, **more: Any) -> KubeNode:
    """Return a node as HAMi 2.10 leaves it: ten parts of each GPU, and no memory as a resource."""
    gpu = {"count": 10, "devmem": memory, "devcore": 100, "type": f"NVIDIA-{V100}", "health": True}
    registered = [{"id": f"GPU-{index}", "mode": "hami-core", **gpu} for index in range(gpus)]
    return make_node(
        name,
        {"nvidia.com/gpu": str(10 * gpus), "cpu": "80"},
        annotations={"hami.io/node-nvidia-register": json.dumps(registered)},
        **more,
    )


def ack(name: str = "ack-1", mode: str = "cgpu", gpus: int = 2, gib: int = 15) -> KubeNode:
    """Return a node of ACK with a sharing mode; a V100 with 16 GB has 15 GiB to give."""
    resources = {"aliyun.com/gpu-count": str(gpus), "aliyun.com/gpu-mem": str(gpus * gib)}
    names = {"ack.node.gpu.schedule": mode, "aliyun.accelerator/nvidia_name": V100}
    return make_node(name, {"nvidia.com/gpu": "0", **resources}, labelled=names)


def read(*nodes: KubeNode) -> list[GpuNode]:
    return [gpu_node(node, MILLI) for node in nodes]
