"""The GPUs of nodes where HAMi or Alibaba's cGPU gives out their memory, read from the node.

HAMi: https://github.com/Project-HAMi/HAMi, `docs/develop/protocol.md`. Alibaba Cloud ACK: node
labels and resources of "Enable scheduling features" and "GPU sharing" in its documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from ...model.resources import MILLI
from ..objects.cluster import KubeNode

GPU_COUNT = "nvidia.com/gpu"
"""HAMi: how many GPUs a pod has a part of. Nodes offer many times as many as they have."""
GPU_MEMORY = "nvidia.com/gpumem"
"""HAMi: MiB of each of these GPUs."""
GPU_MEMORY_PERCENTAGE = "nvidia.com/gpumem-percentage"
"""HAMi: per cent of the memory of each of these GPUs, instead of MiB."""
ACK_MEMORY, ACK_COUNT = "aliyun.com/gpu-mem", "aliyun.com/gpu-count"
"""ACK: GiB on all GPUs of a pod together, and how many GPUs a node has."""
ACK_MODE, ACK_PRODUCT = "ack.node.gpu.schedule", "aliyun.accelerator/nvidia_name"
_REGISTER = "hami.io/node-nvidia-register"
_MIB, _GIB = 1, 1024


@dataclass(frozen=True, slots=True)
class Cards:
    """GPUs whose memory is given out in units.

    `way` is the name of the provider. There are `count` GPUs with `units` each, of `unit` MiB, and
    `resource` is what pods request units by.
    """

    way: str
    resource: str
    count: int
    units: int
    unit: int
    product: str = ""

    @property
    def memory(self) -> int:
        """Return the MiB of each GPU."""
        return self.units * self.unit

    @property
    def amounts(self) -> Mapping[str, int]:
        """Return how much there is of each resource that pods may request memory by."""
        memory = {self.resource: self.count * self.units}
        if self.resource != GPU_MEMORY:
            return memory
        return {**memory, GPU_MEMORY_PERCENTAGE: self.count * 100}

    def milli(self, resource: str, amount: int) -> int:
        """Return what an amount of a resource costs in quota, 0 for one that is not theirs."""
        if resource not in self.amounts or not amount:
            return 0
        whole = 100 if resource == GPU_MEMORY_PERCENTAGE else self.units
        return max(1, amount * MILLI // whole)

    def held(self, requested: Mapping[str, int]) -> Mapping[str, int]:
        """Return the units that a pod holds by its requests, as amounts of `resource`."""
        if self.resource != GPU_MEMORY:
            return {self.resource: requested.get(self.resource, 0)}
        percentage = requested.get(GPU_MEMORY_PERCENTAGE, 0)
        each = requested.get(GPU_MEMORY, 0) or -(-self.units * percentage // 100)
        count = requested.get(GPU_COUNT, 1 if each else 0)
        return {self.resource: count * (each or self.units)}


def cards(node: KubeNode, resources: Mapping[str, int]) -> Cards | None:
    """Return the GPUs of a node of HAMi or ACK, None for another node."""
    return _hami(node) or _ack(node, resources)


class _Registered(msgspec.Struct, frozen=True):
    """One GPU in HAMi's annotation of a node; `devmem` in MiB."""

    id: str
    devmem: int
    type: str = ""
    mode: str = ""
    health: bool = True


def _hami(node: KubeNode) -> Cards | None:
    """Return what HAMi has registered; nodes have GPUs of one kind, so the smallest counts.

    GPUs that HAMi divides by MIG are given out as instances, not by memory.
    """
    text = node.metadata.annotations.get(_REGISTER, "")
    found = [gpu for gpu in _registered(text) if gpu.health and gpu.mode != "mig" and gpu.devmem]
    if not found:
        return None
    product = found[0].type.removeprefix("NVIDIA-").removeprefix("NVIDIA ")
    return Cards("hami", GPU_MEMORY, len(found), min(g.devmem for g in found), _MIB, product)


def _registered(text: str) -> list[_Registered]:
    """Return the GPUs of an annotation: JSON, or the lists of earlier versions; none if unreadable.

    In a list, GPUs end with a colon, and the fields of each are separated by commas: id, parts,
    memory, cores, type, NUMA node, health.
    """
    try:
        if text.startswith("["):
            return msgspec.json.decode(text, type=list[_Registered])
        rows = [row.split(",") for row in text.split(":") if row]
        return [_Registered(r[0], int(r[2]), r[4], health=r[6] == "true") for r in rows]
    except (msgspec.DecodeError, ValueError, IndexError):
        return []


def _ack(node: KubeNode, resources: Mapping[str, int]) -> Cards | None:
    mode = node.metadata.labels.get(ACK_MODE, "")
    memory, count = resources.get(ACK_MEMORY, 0), resources.get(ACK_COUNT, 0)
    units = memory // count if count else 0
    if not mode or not units:
        return None
    product = node.metadata.labels.get(ACK_PRODUCT, "")
    return Cards(f"ack-{mode.replace('_', '-')}", ACK_MEMORY, count, units, _GIB, product)
