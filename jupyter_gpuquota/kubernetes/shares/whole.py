"""Whole GPUs, by the resource `nvidia.com/gpu`."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.resources import MILLI, Isolation, Share
from .gpu_node import GPU, GpuNode
from .provider import Grant, PodPatch, request


class Whole:
    """Whole GPUs, each of them for one session."""

    name = "whole"

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node gives out whole GPUs."""
        return not node.sharing and node.resources.get(GPU, 0) > 0

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return as many whole GPUs as are requested, if the node has them."""
        count, rest = divmod(share.milli, MILLI)
        if not count or rest or count > node.resources.get(GPU, 0):
            return None
        return Grant(share, share.milli, GPU, count)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return how many GPUs the largest node has."""
        if share.milli < MILLI:
            return None
        most = max(node.resources[GPU] for node in nodes) * MILLI
        return field_error("gpu", "share.devices", share=share_arg(share), most=most)

    def render(self, grant: Grant) -> PodPatch:
        """Return the GPUs as a resource."""
        return request(grant)

    def isolation(self) -> Isolation:
        """Return that the container has devices of its own, and no others."""
        return Isolation(memory="enforced", compute="enforced", scope="container")
