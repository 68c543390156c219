"""What ResourceQuotas allow of storage. Pure.

See https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-for-storage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..objects.cluster import ResourceQuota, ScopeExpression
from ..quantities import units

_STORAGE, _CLAIMS = "requests.storage", "persistentvolumeclaims"
_CLASS = ".storageclass.storage.k8s.io/"
_LEVEL = "VolumeAttributesClass"


@dataclass(frozen=True, slots=True)
class Demand:
    """A claim to be made, or what one is to grow by: then it counts as no further claim."""

    size: int
    storage_class: str = ""
    level: str = ""
    claims: int = 1


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that is exceeded: `left` of the `resource` are free, in bytes or as a number."""

    quota: str
    resource: str
    left: int

    @property
    def counts_bytes(self) -> bool:
        """Whether the limit is one of bytes."""
        return self.resource.endswith(_STORAGE)


def exceeded(quotas: Iterable[ResourceQuota], demands: Sequence[Demand]) -> Iterator[Excess]:
    """Yield the limits of a namespace that claims together would exceed."""
    for quota in quotas:
        wanted = Counter[str]()
        for demand in demands:
            if _counts(quota, demand):
                wanted.update(_amounts(demand))
        for resource, amount in wanted.items():
            left = _left(quota, resource)
            if left is not None and amount > left:
                yield Excess(quota.metadata.name, resource, left)


def _amounts(demand: Demand) -> dict[str, int]:
    """Return what a demand adds to each resource that a quota may limit."""
    found = {_STORAGE: demand.size}
    if demand.claims:
        found |= {_CLAIMS: demand.claims, f"count/{_CLAIMS}": demand.claims}
    if demand.storage_class:
        found[f"{demand.storage_class}{_CLASS}{_STORAGE}"] = demand.size
        if demand.claims:
            found[f"{demand.storage_class}{_CLASS}{_CLAIMS}"] = demand.claims
    return found


def _left(quota: ResourceQuota, resource: str) -> int | None:
    """Return what is left of a resource, None if the quota does not limit it."""
    hard = quota.status.hard or quota.spec.hard
    if resource not in hard:
        return None
    try:
        return max(0, units(hard[resource]) - units(quota.status.used.get(resource, 0)))
    except ValueError:
        return None


def _counts(quota: ResourceQuota, demand: Demand) -> bool:
    """Return whether a quota counts a claim: one with scopes of pods does not."""
    if quota.spec.scopes:
        return False
    return all(_meets(each, demand.level) for each in quota.spec.scope_selector.match_expressions)


def _meets(each: ScopeExpression, level: str) -> bool:
    if each.scope_name != _LEVEL:
        return False
    match each.operator:
        case "In":
            return level in each.values
        case "NotIn":
            return level not in each.values
        case "Exists":
            return bool(level)
        case "DoesNotExist":
            return not level
        case _:
            return False
