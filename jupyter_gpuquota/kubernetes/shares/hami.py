"""HAMi: a part of a GPU's memory, and per cent of its compute.

https://github.com/Project-HAMi/HAMi. Its webhook chooses its scheduler for pods that request these
resources.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.resources import MILLI, Isolation, Share
from . import by_memory
from .cards import GPU_COUNT, GPU_MEMORY, GPU_MEMORY_PERCENTAGE
from .gpu_node import GpuNode
from .provider import Grant, PodPatch

_CORES = "nvidia.com/gpucores"
_PERCENT = MILLI // 100


class Hami:
    """Parts of GPUs that a library in the container limits."""

    name = "hami"

    def offers(self, node: GpuNode) -> bool:
        """Return whether HAMi gives out the GPUs of a node."""
        return bool(node.cards and node.cards.resource == GPU_MEMORY)

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the MiB that a share comes to; of several GPUs, all of each."""
        return by_memory.granted(share, node)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return the largest GPU, or how many GPUs the largest node has."""
        return by_memory.refusal(share, nodes)

    def render(self, grant: Grant) -> PodPatch:
        """Return the number of GPUs, the memory of each, and per cent of compute if limited."""
        count, compute = grant.share.devices or 1, grant.share.compute
        resources = {GPU_COUNT: str(count), grant.resource: str(grant.units // count)}
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


class HamiPercentage(Hami):
    """The same by per cent of a GPU's memory, so that GPUs of all sizes give the same fraction."""

    name = "hami-percentage"

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return a fraction in whole per cent, or whole GPUs; None for all else.

        Others are given in MiB: three thirds of a GPU, rounded up to 34 %, would not fit on it.
        """
        count = share.devices or 1
        percent, rest = divmod(min(share.milli, MILLI), _PERCENT)
        if not node.cards or count > node.cards.count or not percent or rest or share.divided:
            return None
        units = count * percent
        return Grant(share, units * _PERCENT, GPU_MEMORY_PERCENTAGE, units)
