"""MPS by NVIDIA's device plugin: each replica has an equal part of memory and threads."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.resources import Isolation, Share
from . import replicas
from .gpu_node import GpuNode
from .provider import Grant, PodPatch, request


class Mps:
    """Replicas of GPUs that the MPS control daemon limits.

    The device plugin refuses a pod with more than one of them (`ValidateRequest` in its
    `internal/rm/rm.go`), and the daemon knows only one limit for all clients.
    """

    name = "mps"

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node's GPUs are shared by MPS."""
        return node.sharing == "mps"

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the one replica that is enough for a share."""
        return replicas.granted(share, node, 1)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return that a session gets at most one replica."""
        return replicas.refusal(share, nodes, 1)

    def render(self, grant: Grant) -> PodPatch:
        """Return the replica as a resource."""
        return request(grant)

    def isolation(self) -> Isolation:
        """Return that MPS enforces the limits, for each process separately.

        https://github.com/NVIDIA/k8s-device-plugin/issues/720
        """
        return Isolation(
            memory="enforced",
            compute="enforced",
            scope="process",
            bypass=("the memory limit applies to each process of the session separately",),
            note="NVIDIA MPS enforces the limits for each process separately.",
        )
