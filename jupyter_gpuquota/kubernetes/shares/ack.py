"""Alibaba Cloud ACK: GiB of GPU memory, by cGPU, MPS or counting only; one provider per mode.

The label `ack.node.gpu.schedule` sets the mode of a node. Container Service for Kubernetes, "Enable
scheduling features" and "Enable Multi-GPU Sharing" in its documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.resources import Isolation, Share
from . import by_memory
from .cards import ACK_COUNT, ACK_MEMORY
from .gpu_node import GpuNode
from .provider import Grant, PodPatch

_CORES = "aliyun.com/gpu-core.percentage"
_STEP = 5
"""Per cent of compute are multiples of this, or the pod is refused."""


@dataclass(frozen=True, slots=True)
class Ack:
    """GPUs of nodes with one mode; in some, compute is divided as well as memory."""

    name: str
    isolates: Isolation
    divides_compute: bool = False

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node has this mode."""
        return bool(node.cards and node.cards.way == self.name)

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the GiB that a share comes to.

        Compute is divided on every pod of a node or on none, and not among several GPUs.
        """
        refused = share.devices > 1 if self.divides_compute else share.compute
        return None if refused else by_memory.granted(share, node)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return the most that there is, or that compute cannot be limited."""
        if share.compute and not self.divides_compute:
            return field_error("gpu_compute", "share.compute.none")
        return by_memory.refusal(share, nodes, devices=1 if self.divides_compute else 0)

    def render(self, grant: Grant) -> PodPatch:
        """Return the GiB of all GPUs together, how many GPUs, and per cent of compute.

        Where compute is divided and none is requested, a session has as much as of the memory.
        """
        count = grant.share.devices or 1
        resources = {ACK_MEMORY: str(grant.units)}
        if self.divides_compute:
            part = -(-grant.milli // (10 * _STEP)) * _STEP
            resources[_CORES] = str(grant.share.compute or min(100, part))
        return PodPatch(resources=resources, labels={ACK_COUNT: str(count)} if count > 1 else {})

    def isolation(self) -> Isolation:
        """Return what isolates sessions in this mode."""
        return self.isolates


MODES = (
    Ack(
        "ack-core-mem",
        Isolation(memory="enforced", compute="enforced", scope="session"),
        divides_compute=True,
    ),
    Ack(
        "ack-cgpu",
        Isolation(
            memory="enforced",
            compute="none",
            scope="session",
            note="cGPU limits memory. Sessions on a GPU share its compute.",
        ),
    ),
    Ack(
        "ack-mps",
        Isolation(
            memory="enforced",
            compute="none",
            scope="session",
            note="MPS and cGPU limit memory. Sessions on a GPU share its compute.",
        ),
    ),
    Ack(
        "ack-share",
        Isolation(
            memory="none",
            compute="none",
            bypass=("a process can use more than the share",),
            note="The share is only counted: ALIYUN_COM_GPU_MEM_CONTAINER is what to keep to.",
        ),
    ),
)
"""The modes in which GPUs are shared, the best isolated first."""
