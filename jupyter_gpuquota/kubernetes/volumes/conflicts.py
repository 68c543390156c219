"""Why a session could not mount a volume, and what would work instead. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...core.requests.quantities import size_quantity
from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.volumes.mounts import Mount
from ..objects.cluster import ResourceQuota
from .facts import Facts, tied_to
from .modes import LONG, short
from .quotas import Demand, exceeded
from .reading import modes_of


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
        if error := _own_conflict(field, mount, facts):
            yield error
            continue
        ties = ((tied_to(mount, facts), _elsewhere), (facts.reachable, _out_of_reach))
        for nodes, error_of in ties:
            if nodes is None:
                continue
            if left is not None and not left & nodes:
                yield error_of(field, facts, nodes)
                break
            left = nodes if left is None else left & nodes


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


def _own_conflict(field: str, mount: Mount, facts: Facts) -> FieldError | None:
    """Return why no node at all could mount a claim as it is now, None if one could."""
    claim, name = facts.claim, mount.volume
    modes = short(modes_of(claim))
    if claim.spec.volume_mode == "Block":
        why = "It is a raw device."
        return field_error(field, "volume.unusable", volume=name, why=why)
    if modes == ("ROX",) and not mount.read_only and not facts.home:
        return field_error(field, "volume.only_read", volume=f"{name}:{mount.path}")
    if facts.mounted and "RWOP" in modes:
        users = _users(facts)
        key = f"{_noun(facts)}.alone"
        return field_error(field, key, volume=name, users=users, mode=LONG["RWOP"])
    return None


def _elsewhere(field: str, facts: Facts, nodes: frozenset[str]) -> FieldError:
    """Return that a claim is attached to nodes which the session cannot have."""
    return field_error(
        field,
        f"{_noun(facts)}.elsewhere",
        volume=facts.claim.metadata.name,
        users=_users(facts),
        nodes=",".join(sorted(nodes)),
        mode=LONG["RWO"],
    )


def _out_of_reach(field: str, facts: Facts, nodes: frozenset[str]) -> FieldError:
    """Return that a claim can be used on nodes only which the session cannot have."""
    named = ",".join(sorted(nodes)) or "nodes that are gone"
    key = f"{_noun(facts)}.nodes"
    return field_error(field, key, volume=facts.claim.metadata.name, nodes=named)


def _noun(facts: Facts) -> str:
    """Return what begins the keys of messages about a claim."""
    return "home" if facts.home else "volume"


def _users(facts: Facts) -> str:
    return ",".join(dict.fromkeys(each.name for each in facts.mounted))
