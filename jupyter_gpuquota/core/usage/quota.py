"""What projects and users hold and have queued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ...model.quota import Department, Project, ProjectUse, Quota, UserUse
from ...model.resources import Holding, Node
from ...model.sessions import Session
from ..scheduling.capacity import capacity_of, cost, shareable
from ..scheduling.fairshare import Demand, fair_shares
from ..scheduling.holders import held_by


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
    allocated = sum(map(held_by, sessions))
    mine = tuple(use.name for use in uses)
    return Quota(
        projects=uses,
        capacity=capacity,
        allocated=allocated,
        free=max(0, left - allocated - _closed(nodes, sessions, holdings)),
        others=sum(h.placement.milli for h in holdings),
        simulated=any(node.simulated for node in nodes),
        mine=mine,
        default=mine[0] if mine else "",
        revision=revision,
    )


def departments_with_use(
    found: Iterable[Department], uses: Iterable[ProjectUse]
) -> tuple[Department, ...]:
    """Return departments with what the projects in and below them hold."""
    known = {each.name: each for each in found}
    home = {project: each.name for each in known.values() for project in each.projects}
    held: Counter[str] = Counter()
    for use in uses:
        for name in _path(home.get(use.name, ""), known):
            held[name] += use.allocated
    return tuple(msgspec.structs.replace(d, allocated=held[d.name]) for d in known.values())


def in_departments(
    projects: Iterable[Project], departments: Iterable[Department]
) -> tuple[Project, ...]:
    """Return projects with the names of the departments that they are directly in."""
    names = {project: each.name for each in departments for project in each.projects}
    return tuple(
        msgspec.structs.replace(project, department=names.get(project.name, ""))
        for project in projects
    )


def _path(name: str, known: Mapping[str, Department]) -> Iterator[str]:
    """Yield a department and those above it; a circle ends where it closes."""
    seen: set[str] = set()
    while name in known and name not in seen:
        seen.add(name)
        yield name
        name = known[name].parent


def _closed(nodes: Sequence[Node], sessions: Sequence[Session], holdings: Sequence[Holding]) -> int:
    """Return the milli-GPU that nobody holds on nodes on which nothing new starts."""
    closed = {n.name: capacity_of([n]) for n in nodes if n.problem}
    held = [*(s.placement for s in sessions), *(holding.placement for holding in holdings)]
    for placement in held:
        if placement and placement.node in closed:
            closed[placement.node] -= placement.milli
    return sum(max(0, milli) for milli in closed.values())


def _with_fair(uses: Sequence[tuple[Project, ProjectUse]], capacity: int) -> tuple[ProjectUse, ...]:
    shares = fair_shares((Demand(project, use.requested) for project, use in uses), capacity)
    return tuple(msgspec.structs.replace(use, fair=shares[use.name]) for _, use in uses)


def _project(project: Project, sessions: Sequence[Session], nodes: Sequence[Node]) -> ProjectUse:
    own = [s for s in sessions if s.spec.project == project.name]
    waiting = [s for s in own if s.state == "waiting" and not project.draining]
    allocated = sum(map(held_by, own))
    users = tuple(
        UserUse(
            user=user,
            allocated=sum(held_by(s) for s in own if s.owner == user),
            waiting=sum(s.owner == user for s in waiting),
        )
        for user in sorted({s.owner for s in own if s.placement or s.state == "waiting"})
    )
    return ProjectUse(
        name=project.name,
        quota=project.quota,
        allocated=allocated,
        over=max(0, allocated - project.quota),
        requested=allocated + sum(cost(s.spec.share, nodes) * s.spec.processes for s in waiting),
        weight=project.weighs,
        limit=project.limit,
        priority=project.priority,
        running=sum(s.placement is not None for s in own),
        waiting=len(waiting),
        users=users,
        preemptible=project.preemptible,
        kept=sum(held_by(s) for s in own if s.spec.kind not in project.preemptible),
    )
