"""Time-slicing by NVIDIA's device plugin: sessions on a GPU take turns, unlimited."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.resources import Isolation, Share
from . import replicas
from .gpu_node import GpuNode
from .provider import Grant, PodPatch, request


class TimeSlicing:
    """Replicas of GPUs that are counted, but do not limit anything."""

    name = "time-slicing"

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node's GPUs are time-sliced."""
        return node.sharing == "time-slicing"

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the replicas that a share of at most one GPU needs."""
        return replicas.granted(share, node, node.replicas)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return that a session gets at most the replicas of one GPU."""
        return replicas.refusal(share, nodes, 0)

    def render(self, grant: Grant) -> PodPatch:
        """Return the replicas as a resource."""
        return request(grant)

    def isolation(self) -> Isolation:
        """Return that nothing isolates: several replicas may even be of different GPUs."""
        return Isolation(
            memory="none",
            compute="none",
            bypass=("a process can use more than the share",),
            note="Time-slicing: sessions on a GPU take turns, and share its memory and its faults.",
        )
