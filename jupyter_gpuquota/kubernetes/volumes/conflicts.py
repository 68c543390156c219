"""Why a session could not mount a volume, and what would work instead. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...core.requests.quantities import size_quantity
from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.volumes.mounts import Mount
from ..objects.cluster import ResourceQuota
from ..objects.storage import Claim
from .modes import LONG, short
from .quotas import Demand, exceeded
from .reading import modes_of


@dataclass(frozen=True, slots=True)
class Mounted:
    """A pod that mounts a claim now: what people call it, and its node."""

    name: str
    node: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a claim that is to be mounted.

    `mounted` are the pods that mount it now, besides those of the session itself. `reachable` are
    the nodes from which it can be used, None for all.
    """

    claim: Claim
    mounted: Sequence[Mounted] = ()
    reachable: frozenset[str] | None = None


def conflicts(
    mounts: Mapping[str, Mount], known: Mapping[str, Facts], allowed: frozenset[str] | None
) -> Iterator[FieldError]:
    """Yield why volumes could not be mounted together, by field.

    `known` are the claims by name, `allowed` the nodes on which the session may run, None if they
    are not known.
    """
    left = allowed
    for field, mount in mounts.items():
        facts = known.get(mount.volume)
        if facts is None:
            continue
        if error := _own_conflict(field, mount, facts, allowed):
            yield error
        if left is not None and facts.reachable is not None:
            if not left & facts.reachable:
                nodes = ",".join(sorted(facts.reachable)) or "nodes that are gone"
                yield field_error(field, "volume.nodes", volume=mount.volume, nodes=nodes)
                continue
            left &= facts.reachable


def over_quota(
    mounts: Mapping[str, Mount], quotas: Iterable[ResourceQuota], project: str
) -> Iterator[FieldError]:
    """Yield which limits the new volumes of a session would exceed together, at the last field."""
    new = {field: mount for field, mount in mounts.items() if mount.size}
    demands = [Demand(mount.size, mount.storage_class) for mount in new.values()]
    if new:
        yield from quota_errors(list(new)[-1], quotas, demands, project)


def quota_errors(
    field: str, quotas: Iterable[ResourceQuota], demands: Sequence[Demand], project: str
) -> Iterator[FieldError]:
    """Yield which limits claims together would exceed."""
    for excess in exceeded(quotas, demands):
        left = size_quantity(excess.left) if excess.counts_bytes else str(excess.left)
        yield field_error(
            field,
            "volume.quota",
            quota=excess.quota,
            project=project,
            left=left,
            resource=excess.resource,
        )


def _own_conflict(
    field: str, mount: Mount, facts: Facts, allowed: frozenset[str] | None
) -> FieldError | None:
    """Return why a claim cannot be mounted as it is now, None if it can."""
    claim, name = facts.claim, mount.volume
    modes = short(modes_of(claim))
    if claim.spec.volume_mode == "Block":
        why = "It is a raw device."
        return field_error(field, "volume.unusable", volume=name, why=why)
    if modes == ("ROX",) and not mount.read_only:
        return field_error(field, "volume.only_read", volume=f"{name}:{mount.path}")
    users = ",".join(dict.fromkeys(each.name for each in facts.mounted))
    if "RWX" in modes or not facts.mounted or (mount.read_only and "ROX" in modes):
        return None
    if "RWOP" in modes:
        return field_error(field, "volume.alone", volume=name, users=users, mode=LONG["RWOP"])
    nodes = {each.node for each in facts.mounted if each.node}
    if not nodes or (allowed is not None and len(nodes) == 1 and allowed <= nodes):
        return None
    where = ",".join(sorted(nodes))
    return field_error(
        field, "volume.elsewhere", volume=name, users=users, nodes=where, mode=LONG["RWO"]
    )
