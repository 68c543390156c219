"""Sum up what projects and users hold and wait for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ..model.quota import Project, ProjectUse, Quota, UserUse
from ..model.resources import MILLI, Holding, Node, Share
from ..model.sessions import Session
from .fairshare import Demand, fair_shares
from .rooms import slice_of


def cost(share: Share, nodes: Sequence[Node]) -> int:
    """Estimate what a share that is not placed yet would cost, in milli-GPU.

    Memory and MIG shares cost their part of the device; the cheapest device is assumed.
    """
    if share.milli or not share.wants_gpu:
        return max(share.milli, 10 * share.compute)
    devices = [device for node in nodes for device in node.devices]
    if share.mig:
        found = [i.slices for d in devices for i in d.mig if i.profile == share.mig]
        return -(-min(found) * MILLI // 7) if found else 0
    pieces = [slice_of(share, device) for device in devices]
    return min((piece.milli for piece in pieces if piece), default=0)


def capacity_of(nodes: Iterable[Node]) -> int:
    """Return the milli-GPU of all devices that answer."""
    return MILLI * sum(not device.lost for node in nodes for device in node.devices)


def shareable(nodes: Iterable[Node], holdings: Iterable[Holding]) -> int:
    """Return the milli-GPU that projects share out: what others hold is not theirs to share."""
    return max(0, capacity_of(nodes) - sum(h.placement.milli for h in holdings))


def sum_up(
    projects: Iterable[Project],
    sessions: Sequence[Session],
    nodes: Sequence[Node],
    holdings: Sequence[Holding] = (),
    revision: str = "",
) -> Quota:
    """Return the quota view of a user who may launch in all of the projects."""
    capacity, left = capacity_of(nodes), shareable(nodes, holdings)
    uses = _with_fair([(p, _project(p, sessions, nodes)) for p in projects], left)
    allocated = sum(_held(session) for session in sessions)
    mine = tuple(use.name for use in uses)
    return Quota(
        projects=uses,
        capacity=capacity,
        allocated=allocated,
        free=max(0, left - allocated),
        others=sum(h.placement.milli for h in holdings),
        simulated=any(node.simulated for node in nodes),
        mine=mine,
        default=mine[0] if mine else "",
        revision=revision,
    )


def _with_fair(uses: Sequence[tuple[Project, ProjectUse]], capacity: int) -> tuple[ProjectUse, ...]:
    shares = fair_shares((Demand(project, use.asked) for project, use in uses), capacity)
    return tuple(msgspec.structs.replace(use, fair=shares[use.name]) for _, use in uses)


def _held(session: Session) -> int:
    return session.placement.milli if session.placement else 0


def _project(project: Project, sessions: Sequence[Session], nodes: Sequence[Node]) -> ProjectUse:
    own = [s for s in sessions if s.spec.project == project.name]
    waiting = [s for s in own if s.state == "waiting" and not project.draining]
    allocated = sum(_held(s) for s in own)
    users = tuple(
        UserUse(
            user=user,
            allocated=sum(_held(s) for s in own if s.owner == user),
            waiting=sum(s.owner == user for s in waiting),
        )
        for user in sorted({s.owner for s in own if s.placement or s.state == "waiting"})
    )
    return ProjectUse(
        name=project.name,
        quota=project.quota,
        allocated=allocated,
        over=max(0, allocated - project.quota),
        asked=allocated + sum(cost(s.spec.share, nodes) for s in waiting),
        weight=project.weighs,
        limit=project.limit,
        priority=project.priority,
        running=sum(s.placement is not None for s in own),
        waiting=len(waiting),
        users=users,
    )
