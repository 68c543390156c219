"""Dynamic Resource Allocation: whole GPUs and MIG instances that pods claim.

https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.resources import MILLI, Isolation, Share
from .devices import DRIVER, MIG_DEVICES
from .gpu_node import DEVICES, GpuNode
from .mig import Mig
from .provider import Grant, PodPatch


class Dra:
    """GPUs, and instances of them, that a driver gives to claims."""

    name = "dra"

    def __init__(self) -> None:
        self._mig = Mig()

    def offers(self, node: GpuNode) -> bool:
        """Return whether a driver offers GPUs of a node."""
        return node.sharing == "devices"

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return whole GPUs, or the smallest MIG instance that suffices."""
        count, rest = divmod(share.milli, MILLI)
        if count and not rest and count <= node.resources.get(DEVICES, 0):
            return Grant(share, share.milli, DEVICES, count)
        return self._mig.grant(share, node)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return the profiles that there are, or how many GPUs the largest node has."""
        if any(node.profiles for node in nodes) and not share.devices:
            return self._mig.refusal(share, nodes)
        if not share.devices:
            return None
        most = max(node.resources.get(DEVICES, 0) for node in nodes) * MILLI
        return field_error("gpu", "share.devices", share=share_arg(share), most=most)

    def render(self, grant: Grant) -> PodPatch:
        """Return the claim of the pod."""
        wanted: dict[str, Any] = {"allocationMode": "ExactCount", "count": grant.units}
        if grant.resource == DEVICES:
            wanted |= {"deviceClassName": DEVICES}
        else:
            profile = f"device.attributes['{DRIVER}'].profile == '{grant.share.mig}'"
            wanted |= {
                "deviceClassName": MIG_DEVICES,
                "selectors": [{"cel": {"expression": profile}}],
            }
        claimed = {"requests": [{"name": "gpu", "exactly": wanted}]}
        return PodPatch(milli=grant.milli, devices={"devices": claimed})

    def isolation(self) -> Isolation:
        """Return that the container has devices of its own; MIG instances are by hardware."""
        return Isolation(memory="enforced", compute="enforced", scope="container")
