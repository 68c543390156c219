"""The fair shares of projects.

The rule is KAI Scheduler's (proportion plugin): first every project gets what it requests, up to
its quota; the rest goes to the priorities, highest first, and within one in proportion to the
over-quota weights, never beyond what a project requests or may have. What one project cannot use
is distributed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...model.quota import Project


@dataclass(frozen=True, slots=True)
class Demand:
    """The total demand of one project: what it holds and what it has queued, in milli-GPU."""

    project: Project
    requested: int

    @property
    def most(self) -> int:
        """Return the most that it could be given."""
        return min(self.requested, self.project.ceiling(self.requested))


def fair_shares(demands: Iterable[Demand], capacity: int) -> dict[str, int]:
    """Return the fair share of every project, in milli-GPU.

    `capacity` is what projects share. Quotas may add up to more: then each project's share is its
    quota, and the first to request GPUs gets them.
    """
    ordered = sorted(demands, key=lambda d: (-d.project.priority, d.project.name))
    shares = {d.project.name: min(d.project.quota, d.most) for d in ordered}
    left = capacity - sum(shares.values())
    for _, bucket in groupby(ordered, key=lambda d: d.project.priority):
        left = _share_out(tuple(bucket), shares, left)
    return shares


def _share_out(bucket: Sequence[Demand], shares: dict[str, int], left: int) -> int:
    """Distribute what is left among projects of one priority; return what they cannot use."""
    while left > 0:
        unsatisfied = [d for d in bucket if d.project.weighs and shares[d.project.name] < d.most]
        if not unsatisfied:
            break
        total = sum(d.project.weighs for d in unsatisfied)
        portions = {d.project.name: left * d.project.weighs // total for d in unsatisfied}
        if not any(portions.values()):  # less than a milli-GPU each: the heaviest first
            unsatisfied.sort(key=lambda d: (-d.project.weighs, d.project.name))
            portions = {d.project.name: 1 for d in unsatisfied[:left]}
        for demand in unsatisfied:
            name = demand.project.name
            given = min(portions.get(name, 0), demand.most - shares[name])
            shares[name] += given
            left -= given
    return left
