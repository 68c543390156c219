"""The interface of a share provider: pure functions of a share and the cluster's nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...errors import FieldError
from ...model.resources import Isolation, Share
from ..objects.cluster import KubeNode


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


class ShareProvider(Protocol):
    """One way of sharing GPUs. Nothing here calls the cluster."""

    @property
    def name(self) -> str:
        """Its name in the configuration: `whole`, `time-slicing`, `mps`, `mig`."""

    def offered(self, nodes: Sequence[KubeNode]) -> bool:
        """Return whether any of the nodes shares GPUs in this way."""

    def accepts(self, share: Share) -> bool:
        """Return whether a share has a form that this provider can give, on suitable nodes."""

    def check(self, share: Share, nodes: Sequence[KubeNode]) -> Sequence[FieldError]:
        """Return why no node can give a share that it accepts, with what it could give."""

    def rounded(self, share: Share, nodes: Sequence[KubeNode]) -> Share:
        """Return the share that a request gets, rounded up to the provider's steps."""

    def render(self, share: Share, nodes: Sequence[KubeNode]) -> PodPatch:
        """Return what to add to the pod of a rounded share."""

    def isolation(self, share: Share) -> Isolation | None:
        """Return what isolates a share, None for one without a GPU."""
