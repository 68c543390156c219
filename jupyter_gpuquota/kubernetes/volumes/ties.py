"""The nodes from which a volume can be used, and the claims that are not listed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ...model.messages.build import message
from ...model.struct import Message
from ..labels import COPY
from ..objects.cluster import KubeNode
from ..objects.storage import Claim, Expression, NodeTerm, PersistentVolume
from ..shares.gpu_node import HOSTNAME


@dataclass(frozen=True, slots=True)
class Hidden:
    """Which claims are not listed.

    `homes` is the pattern of the claims of home folders, `cache` the name of those with cached
    datasets; both may be empty.
    """

    homes: str = ""
    cache: str = ""

    def hides(self, claim: Claim) -> bool:
        """Return whether a claim is not listed. One that a pod or a Job owns ends with it."""
        name = claim.metadata.name
        return (
            bool(self.cache and name == self.cache)
            or bool(self.homes and fnmatchcase(name, self.homes))
            or COPY in claim.metadata.labels
            or any(owner.kind in {"Pod", "Job"} for owner in claim.metadata.owner_references)
        )


_ZONE = "/zone"
"""How the labels of zones end: `topology.kubernetes.io/zone`, and those of drivers."""


def named_nodes(volume: PersistentVolume) -> tuple[str, ...]:
    """Return the nodes that a volume names, empty if it names none."""
    return _values(volume, lambda key: key in (HOSTNAME, "metadata.name"))


def named_zones(volume: PersistentVolume) -> tuple[str, ...]:
    """Return the zones that a volume names, empty if it names none."""
    return _values(volume, lambda key: key.endswith(_ZONE))


def sentence(name: str, volume: PersistentVolume | None) -> Message | None:
    """Return where a request will run as a volume can only be used there, None for anywhere."""
    if volume is None:
        return None
    if nodes := named_nodes(volume):
        return message("preview.reachable", nodes=",".join(nodes), volume=name)
    if zones := named_zones(volume):
        return message("preview.zone", zones=",".join(zones), volume=name)
    return None


def reachable(volume: PersistentVolume, nodes: Iterable[KubeNode]) -> frozenset[str] | None:
    """Return the nodes from which a volume can be used, None for all."""
    terms = volume.spec.node_affinity.required.node_selector_terms
    if not terms:
        return None
    return frozenset(
        node.metadata.name for node in nodes if any(_holds(term, node) for term in terms)
    )


def _values(volume: PersistentVolume, is_named: Callable[[str], bool]) -> tuple[str, ...]:
    found = (
        value
        for term in volume.spec.node_affinity.required.node_selector_terms
        for each in (*term.match_expressions, *term.match_fields)
        if each.operator == "In" and is_named(each.key)
        for value in each.values
    )
    return tuple(sorted(dict.fromkeys(found)))


def _holds(term: NodeTerm, node: KubeNode) -> bool:
    """Return whether a node meets a term; an empty one is met by no node."""
    labels, fields = node.metadata.labels, {"metadata.name": node.metadata.name}
    return bool(term.match_expressions or term.match_fields) and (
        all(_meets(each, labels) for each in term.match_expressions)
        and all(_meets(each, fields) for each in term.match_fields)
    )


def _meets(each: Expression, labels: Mapping[str, str]) -> bool:
    """Return whether labels meet a condition.

    See https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators.
    """
    value = labels.get(each.key)
    match each.operator:
        case "In":
            return value in each.values
        case "NotIn":
            return value not in each.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            return _compared(each, value)
        case _:
            return False


def _compared(each: Expression, value: str | None) -> bool:
    try:
        found, limit = int(value or ""), int(each.values[0])
    except (ValueError, IndexError):
        return False
    return found > limit if each.operator == "Gt" else found < limit
