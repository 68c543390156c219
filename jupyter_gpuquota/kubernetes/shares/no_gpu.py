"""Sessions without a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.resources import Isolation, Share
from .gpu_node import GpuNode
from .provider import Grant, PodPatch

VISIBLE = "NVIDIA_VISIBLE_DEVICES"


class NoGpu:
    """No GPU.

    Images such as NVIDIA's set `NVIDIA_VISIBLE_DEVICES=all`, with which a pod that requests no GPU
    sees those of all others (https://github.com/NVIDIA/k8s-device-plugin/issues/61). `void` makes
    NVIDIA's runtime leave the container alone.
    """

    name = "none"

    def offers(self, node: GpuNode) -> bool:
        """Return True: any node will do."""
        return True

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the share if it includes no GPU."""
        return None if share.wants_gpu else Grant(share)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return None: shares with a GPU are refused by others."""
        return None

    def render(self, grant: Grant) -> PodPatch:
        """Return the variable that hides the GPUs of the node."""
        return PodPatch(env={VISIBLE: "void"})

    def isolation(self) -> Isolation | None:
        """Return None: the session has no GPU."""
        return None
