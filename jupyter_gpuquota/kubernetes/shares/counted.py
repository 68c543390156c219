"""Fractions by a resource of which each GPU has 1000, such as one that Kueue's quota counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import FieldError
from ...model.resources import MILLI, Isolation, Share
from . import parts
from .gpu_node import GpuNode
from .no_gpu import VISIBLE
from .provider import Grant, PodPatch, request


class Counted:
    """Parts of GPUs that are counted, and nothing else.

    No device plugin gives out the units of the resource: the scheduler counts them on each node,
    and the container runtime is asked to show all GPUs of the node.
    """

    name = "milli"

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node has the resource."""
        return node.resources.get(node.counted, 0) > 0

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return exactly the fraction that is requested, or that an amount of memory is."""
        milli = share.milli
        if share.memory:
            milli = -(-share.memory * MILLI // node.memory) if node.memory else 0
        if share.mig or share.compute or not 0 < milli <= MILLI:
            return None
        if milli > node.resources[node.counted]:
            return None
        return Grant(share, milli, node.counted, milli)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return that a session gets at most one GPU in this way."""
        return parts.refusal(share, max(node.memory for node in nodes))

    def render(self, grant: Grant) -> PodPatch:
        """Return the resource, and the variable that shows the node's GPUs."""
        return replace(request(grant), env={VISIBLE: "all"})

    def isolation(self) -> Isolation:
        """Return that nothing isolates."""
        return Isolation(
            memory="none",
            compute="none",
            bypass=("a process can use more than the share",),
            note="The share is only counted: the session sees all GPUs of its node.",
        )
