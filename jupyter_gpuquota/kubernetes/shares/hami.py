"""HAMi: a part of a GPU's memory, and per cent of its compute.

https://github.com/Project-HAMi/HAMi. Its webhook chooses its scheduler for pods that request these
resources.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.resources import Isolation, Share
from . import by_memory
from .cards import GPU_COUNT, GPU_MEMORY
from .gpu_node import GpuNode
from .provider import Grant, PodPatch

_CORES = "nvidia.com/gpucores"


class Hami:
    """Parts of GPUs that a library in the container limits."""

    name = "hami"

    def offers(self, node: GpuNode) -> bool:
        """Return whether HAMi gives out the GPUs of a node."""
        return bool(node.cards and node.cards.way == self.name)

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the MiB that a share comes to; of several GPUs, all of each."""
        return by_memory.granted(share, node)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return the largest GPU, or how many GPUs the largest node has."""
        return by_memory.refusal(share, nodes)

    def render(self, grant: Grant) -> PodPatch:
        """Return the number of GPUs, the MiB of each, and per cent of compute if limited."""
        count, compute = grant.share.devices or 1, grant.share.compute
        resources = {GPU_COUNT: str(count), GPU_MEMORY: str(grant.units // count)}
        return PodPatch(resources=resources | ({_CORES: str(compute)} if compute else {}))

    def isolation(self) -> Isolation:
        """Return that a library limits what uses it, for all processes of the container together.

        What comes into the container by SSH does not use it:
        https://github.com/Project-HAMi/HAMi/issues/1112
        """
        return Isolation(
            memory="cooperative",
            compute="cooperative",
            scope="container",
            bypass=(
                "CUDA_DISABLE_CONTROL=true turns the limits off",
                "the limits do not apply to logins by SSH",
            ),
            note="HAMi limits programs by a library that they load, which they can avoid.",
        )
