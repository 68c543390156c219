"""The interface of a share provider: pure functions of a share and the GPUs of a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...errors import FieldError
from ...model.resources import Isolation, Share
from .gpu_node import GpuNode


@dataclass(frozen=True, slots=True)
class Grant:
    """What a node can give for a request.

    `share` is the request rounded up to what can be given, `milli` what it costs in quota,
    `units` the amount of a resource that its pod asks for.
    """

    share: Share
    milli: int = 0
    resource: str = ""
    units: int = 0


@dataclass(frozen=True, slots=True)
class PodPatch:
    """What a share adds to a session's pod; `resources` go into requests and limits alike.

    `milli` is what the share costs in quota, after rounding up to what the provider can give.
    """

    milli: int = 0
    resources: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    node_labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Node labels, each with the values of which a node must have one."""
    volumes: Sequence[Mapping[str, Any]] = ()
    mounts: Sequence[Mapping[str, Any]] = ()
    runtime_class: str = ""
    devices: Mapping[str, Any] = field(default_factory=dict)
    """What the pod claims of devices, as a ResourceClaim specifies it."""


def request(grant: Grant) -> PodPatch:
    """Return the patch of a share that needs nothing but its resource."""
    return PodPatch(milli=grant.milli, resources={grant.resource: str(grant.units)})


class ShareProvider(Protocol):
    """One way of sharing GPUs. Nothing here calls the cluster."""

    @property
    def name(self) -> str:
        """Its name in the configuration, such as `whole`, `mps` or `hami`."""

    def offers(self, node: GpuNode) -> bool:
        """Return whether a node has GPUs that are shared in this way."""

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return what such a node, when empty, gives for a share; None if it is not enough.

        The granted share is never less than the request, and is granted as it is.
        """

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return why none of these nodes gives a share, and the most that they give.

        None where another provider knows better, as the share has a form that is not this one's.
        """

    def render(self, grant: Grant) -> PodPatch:
        """Return what to add to the pod; the nodes are chosen by the registry."""

    def isolation(self) -> Isolation | None:
        """Return what isolates a share, None for one without a GPU."""
