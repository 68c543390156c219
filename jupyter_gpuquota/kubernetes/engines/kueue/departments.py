"""The Cohorts above those that belong to one project alone. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from ....model.quota import Department
from .forecast import Projects
from .queues import ProjectQueues
from .quota_tree import Key, queue
from .state import KueueState


def departments_of(state: KueueState, projects: Projects) -> tuple[Department, ...]:
    """Return the Cohorts that projects are in, by name; flavors add up.

    The quota of one is all that is set in it and below it. A project whose queues are in several
    Cohorts is in that of its main queue.
    """
    parents: dict[Key, str] = {}
    inside: dict[Key, list[str]] = defaultdict(list)
    for name, each in projects.items():
        above = [*_above(state, each)]
        for key, parent in zip(above, [*above[1:], None], strict=False):
            parents[key] = parent[1] if parent else ""
        if above:
            inside[above[0]].append(name)
    quotas = _quotas(state)
    return tuple(
        Department(
            name=key[1],
            parent=parents[key],
            projects=tuple(sorted(inside[key])),
            quota=quotas[key],
            limit=_limit(state, key, quotas[key], root=not parents[key]),
        )
        for key in sorted(parents)
    )


def _above(state: KueueState, project: ProjectQueues) -> Iterator[Key]:
    """Yield the members above a project, the nearest first."""
    main = queue(project.main.spec.cluster_queue)
    for flavor in state.flavors_of(main[1])[:1]:  # all flavors have the same Cohorts
        own, found = set(project.tops(flavor)), False
        for key in state.trees[flavor].path(main):
            if found:
                yield key
            found = found or key in own


def _quotas(state: KueueState) -> Counter[Key]:
    """Return what is set in each member and below it."""
    found: Counter[Key] = Counter()
    for tree in state.trees.values():
        for key, member in tree.members.items():
            for at in tree.path(key):
                found[at] += member.nominal
    return found


def _limit(state: KueueState, key: Key, quota: int, *, root: bool) -> int | None:
    """Return the most that all below a Cohort may use; None if only those above limit it."""
    borrowing = [0 if root else tree.members[key].borrowing for tree in state.trees.values()]
    known = [amount for amount in borrowing if amount is not None]
    return quota + sum(known) if len(known) == len(borrowing) else None
