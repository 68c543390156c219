"""Whether a share can ever be had: on empty devices, within what the project may use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.quota import Project
from ...model.resources import MILLI, Node, Share
from ...model.sessions import Kind
from ..scheduling.capacity import cost
from ..scheduling.ledger import UNBOUNDED
from ..scheduling.placement import Pool
from ..scheduling.queue import nodes_for


@dataclass(frozen=True, slots=True)
class Fit:
    """The share that a request gets, rounded up, or why it can never be had.

    `milli` is what it counts as in a quota that is known, else 0.
    """

    share: Share
    errors: Sequence[FieldError] = ()
    milli: int = 0


Fits = Callable[[Share, Kind, str, Sequence[Node], Project], Fit]
"""What a share of a kind of session, on nodes of a group, comes to in a project."""


def fit(share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project) -> Fit:
    """Return a share as our own scheduler gives it: exactly, or not at all."""
    if share.divided:
        return Fit(share, [only_whole(share)])
    return Fit(share, check_possible(share, kind, node_type, nodes, project))


def check_possible(
    share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
) -> list[FieldError]:
    """Return why a share can never be had, empty if it can."""
    if error := check_group(node_type, nodes):
        return [error]
    if not share.wants_gpu:
        return []
    if not any(not device.lost for node in nodes for device in node.devices):
        return [field_error(share_field(share), "share.no_gpus")]
    names = nodes_for(project, kind, node_type, nodes)
    eligible = [node for node in nodes if names is None or node.name in names]
    placed = Pool(eligible).find(share)
    if placed is None:
        return [_beyond(share, eligible, project, bound=names is not None)]
    return check_quota(share, cost(share, eligible), kind, project)


def check_group(node_type: str, nodes: Sequence[Node]) -> FieldError | None:
    """Return what is wrong with the node group of a request, None if it exists or is empty."""
    known = {label for node in nodes for label in node.labels}
    return _unknown_group(node_type, known) if node_type and node_type not in known else None


def check_quota(share: Share, milli: int, kind: Kind, project: Project) -> list[FieldError]:
    """Return whether a share, which costs so many milli-GPU, exceeds what a project may use."""
    name, most = project.name, project.ceiling(UNBOUNDED)
    if kind == "interactive" and milli > project.quota and project.quota <= most:
        key = "share.over_quota" if project.weighs else "share.over_quota.no_borrowing"
        return [field_error(share_field(share), key, project=name, quota=project.quota)]
    if milli > most:
        return [field_error(share_field(share), "share.over_limit", project=name, most=most)]
    return []


def only_whole(share: Share) -> FieldError:
    """Return that parts of several devices cannot be had, and the whole numbers around them."""
    return field_error("gpu", "share.whole", below=share.count - 1, above=share.count)


def share_field(share: Share) -> str:
    """Return the field of a request in which a share is given."""
    return "mig_profile" if share.mig else "gpu_memory" if share.memory else "gpu"


def _unknown_group(group: str, known: set[str]) -> FieldError:
    if not known:
        return field_error("node_type", "share.node_group.none", group=group)
    groups = ",".join(sorted(known))
    return field_error("node_type", "share.node_group", group=group, groups=groups)


def _beyond(share: Share, nodes: Sequence[Node], project: Project, *, bound: bool) -> FieldError:
    """Return why no empty node has a share; `bound`: the project may use these nodes only."""
    devices = [device for node in nodes for device in node.devices if not device.lost]
    if not devices:
        return field_error("project", "share.no_node", project=project.name)
    if share.mig:
        profiles = ",".join(sorted({i.profile for device in devices for i in device.mig}))
        if not profiles:
            return field_error("mig_profile", "share.mig.none", profile=share.mig)
        return field_error("mig_profile", "share.mig", profile=share.mig, profiles=profiles)
    if share.memory:
        most = max(device.memory for device in devices)
        return field_error("gpu_memory", "share.memory", memory=share.memory, most=most)
    most = MILLI * max(sum(not d.lost and not d.mig for d in node.devices) for node in nodes)
    wanted = share_arg(share)
    if not bound:
        return field_error("gpu", "share.devices", share=wanted, most=most)
    return field_error("gpu", "share.devices.of", project=project.name, share=wanted, most=most)
