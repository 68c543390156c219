"""GPUs in the amounts of resources that pods, quotas and nodes give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...model.resources import MILLI
from .. import labels, quantities
from ..objects.pods import PodSpec
from ..objects.requests import requested

MILLI_RESOURCE = f"{labels.DOMAIN}/gpu-milli"
"""The resource of fractions, in thousandths of a GPU.

Its name does not end in `gpu`: KAI Scheduler counts such resources as whole GPUs.
"""


@dataclass(frozen=True, slots=True)
class GpuResources:
    """The names of the resources by which GPUs are counted: whole ones, and thousandths."""

    whole: str = "nvidia.com/gpu"
    milli: str = MILLI_RESOURCE

    def names(self, amounts: Iterable[str], prefix: str = "") -> tuple[str, ...]:
        """Return those of the names that count GPUs; quotas put a prefix before them."""
        known = set(amounts)
        return tuple(name for name in (prefix + self.milli, prefix + self.whole) if name in known)

    def factor(self, name: str) -> int:
        """Return how many milli-GPU a unit of a resource is, 0 for other resources."""
        return {self.milli: 1, self.whole: MILLI}.get(name, 0)

    def counted(self, amounts: Mapping[str, quantities.Quantity], prefix: str = "") -> int:
        """Return the milli-GPU among amounts of resources."""
        return sum(
            self.factor(name.removeprefix(prefix)) * quantities.units(amount)
            for name, amount in amounts.items()
            if name.startswith(prefix)
        )

    def requested(self, pod: PodSpec) -> int:
        """Return the milli-GPU that a pod requests."""
        return self.counted(requested(pod))
