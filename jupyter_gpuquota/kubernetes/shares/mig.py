"""MIG instances: by profile (strategy `mixed`), or all alike as `nvidia.com/gpu` (`single`)."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.resources import Isolation, Share
from .gpu_node import GpuNode, Profile
from .provider import Grant, PodPatch, request


class Mig:
    """MIG instances, one for each session."""

    name = "mig"

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node has MIG instances."""
        as_resources = node.sharing != "devices"
        return as_resources and any(node.resources[resource] for resource in node.profiles)

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the smallest instance with the profile, or else the size, of a share."""
        found = [
            (profile.milli, profile.memory, resource)
            for resource, profile in node.profiles.items()
            if node.resources[resource] and _suffices(profile, share)
        ]
        if not found:
            return None
        milli, _, resource = min(found)
        return Grant(Share(mig=node.profiles[resource].name), milli, resource, 1)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return the profiles that there are, or the largest of them."""
        profiles = {p for n in nodes for r, p in n.profiles.items() if n.resources[r]}
        names = ",".join(sorted({profile.name for profile in profiles}))
        if share.mig:
            return field_error("mig_profile", "share.mig", profile=share.mig, profiles=names)
        largest = max(profiles, key=lambda profile: (profile.slices, profile.memory))
        field = "gpu_memory" if share.memory else "gpu"
        return field_error(field, "share.parts", most=share_arg(Share(mig=largest.name)))

    def render(self, grant: Grant) -> PodPatch:
        """Return the instance as a resource."""
        return request(grant)

    def isolation(self) -> Isolation:
        """Return that the hardware isolates instances."""
        return Isolation(memory="hardware", compute="hardware", scope="container")


def _suffices(profile: Profile, share: Share) -> bool:
    """Return whether an instance is what a share requests, or at least as large."""
    if share.mig:
        return profile.name == share.mig
    return (
        share.wants_gpu
        and profile.milli >= share.milli
        and profile.memory >= share.memory
        and profile.slices * 100 >= share.compute * 7
    )
