"""The share providers, and which of them gives a share, on which nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from ...core.requests.feasibility import only_whole
from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.resources import Isolation, Share
from .ack import MODES
from .counted import Counted
from .dra import Dra
from .gpu_node import GpuNode, distinguishing
from .hami import Hami, HamiPercentage
from .kai import Kai, KaiLimited, RunAi
from .mig import Mig
from .mps import Mps
from .no_gpu import NoGpu
from .provider import Grant, PodPatch, ShareProvider
from .time_slicing import TimeSlicing
from .whole import Whole

PROVIDERS: Sequence[ShareProvider] = (
    Whole(),
    Mig(),
    Dra(),
    Mps(),
    *MODES,
    HamiPercentage(),
    Hami(),
    TimeSlicing(),
    KaiLimited(),
    RunAi(),
    Kai(),
    Counted(),
)
"""All providers; of those that cost the same, an earlier one is preferred."""

NAMES = tuple(provider.name for provider in PROVIDERS)
"""The names of the providers, for the configuration."""

_NO_GPU = NoGpu()


@dataclass(frozen=True)
class Choice:
    """The provider of a share, what it gives, and on which nodes.

    One choice serves all sessions with the same request: what follows from its nodes, of which
    there may be thousands, is worked out once.

    `others` are nodes that must not be used, though the pod would fit on them: the same request
    would mean another share there, or the session may not run there. `groups` are the labels of
    node groups.
    """

    provider: ShareProvider
    grant: Grant
    nodes: Sequence[GpuNode]
    others: Sequence[GpuNode] = ()
    groups: Sequence[str] = ()

    @property
    def share(self) -> Share:
        """The share, rounded up to what is given."""
        return self.grant.share

    @cached_property
    def simulated(self) -> bool:
        """Whether all of the nodes are simulated."""
        return bool(self.nodes) and all(node.simulated for node in self.nodes)

    def patch(self) -> PodPatch:
        """Return what to add to the pod."""
        return self._patch

    @cached_property
    def _patch(self) -> PodPatch:
        found = self.provider.render(self.grant)
        labels = {**found.node_labels, **distinguishing(self.nodes, self.others, self.groups)}
        return replace(found, milli=self.grant.milli, node_labels=labels)

    def isolation(self) -> Isolation | None:
        """Return what isolates the share, None for one without a GPU."""
        found = self.provider.isolation()
        if found and self.simulated:
            return Isolation(memory="none", compute="none", note="The GPU is simulated.")
        return found


class Shares:
    """The providers of a cluster: all, or those that the configuration names, in its order.

    `groups` are the labels of node groups.
    """

    def __init__(self, names: Sequence[str] = (), groups: Sequence[str] = ()) -> None:
        known = {provider.name: provider for provider in PROVIDERS}
        self._providers = [known[name] for name in names or NAMES]
        self._groups = tuple(groups)

    def choose(
        self,
        share: Share,
        nodes: Sequence[GpuNode],
        elsewhere: Sequence[GpuNode] = (),
        counts: Callable[[str], bool] = lambda _: True,
    ) -> Choice | FieldError:
        """Return who gives a share at the lowest cost in quota, or why nobody does.

        `elsewhere` are the nodes that the session may not use. Resources that the quota `counts`
        are preferred. The choice depends on what nodes have, not on what is free; so the rounded
        share is given by the same provider, without further rounding.
        """
        found = self._cheapest(share, nodes, elsewhere, counts)
        if isinstance(found, Choice) and found.share != share:
            # Rounded up, it can be what another provider gives without sharing: 3/4 of a GPU in
            # halves is a whole one.
            return self.choose(found.share, nodes, elsewhere, counts)
        return found

    def _cheapest(
        self,
        share: Share,
        nodes: Sequence[GpuNode],
        elsewhere: Sequence[GpuNode],
        counts: Callable[[str], bool],
    ) -> Choice | FieldError:
        if not share.wants_gpu:
            return Choice(_NO_GPU, Grant(share), nodes, elsewhere, self._groups)
        covers = cache(counts)  # asked for each of thousands of nodes
        grants = [
            (_key(grant, rank, counted=covers(grant.resource)), grant, node)
            for rank, provider in enumerate(self._providers)
            for node in nodes
            if provider.offers(node) and (grant := provider.grant(share, node))
        ]
        if not grants:
            return self._refusal(share, nodes)
        key, best, _ = min(grants, key=lambda each: each[0])
        kind = (*key[:4], best.resource)
        chosen = [node for key, grant, node in grants if (*key[:4], grant.resource) == kind]
        names = {node.name for node in chosen}
        rest = (node for node in (*nodes, *elsewhere) if node.name not in names)
        others = [node for node in rest if _could_take(node, best)]
        return Choice(self._providers[key[2]], best, chosen, others, self._groups)

    def _refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError:
        found = ((p, [n for n in nodes if p.offers(n)]) for p in self._providers)
        offers = [(p, offering) for p, offering in found if offering]
        if offers and share.divided and not any(isinstance(p, Kai) for p, _ in offers):
            return only_whole(share)
        said = (p.refusal(share, offering) for p, offering in offers)
        if error := next(filter(None, said), None):
            return error
        if share.mig:
            return field_error("mig_profile", "share.mig.none", profile=share.mig)
        field = "gpu_memory" if share.memory else "gpu"
        return field_error(field, "share.not_shared" if offers else "share.no_gpus")


def _key(grant: Grant, rank: int, *, counted: bool) -> tuple[bool, int, int, int, int]:
    """Return the key by which the least is preferred; `rank` is that of the provider."""
    return (not counted, grant.milli, rank, grant.units, grant.share.memory)


def _could_take(node: GpuNode, grant: Grant) -> bool:
    """Return whether a pod with this request would fit on a node."""
    return 0 < grant.units <= node.resources.get(grant.resource, 0)
