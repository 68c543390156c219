"""Share the GPUs out among the projects.

The rule is KAI Scheduler's (proportion plugin): first every project gets what it asks, up to its
quota; what is left goes to the buckets of priority, highest first, and inside one in proportion
to the over-quota weights, never beyond what a project asks or may have. What one project cannot
use goes round again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..model.quota import Project


@dataclass(frozen=True, slots=True)
class Demand:
    """Be what one project asks, all told: what it holds and what it waits for, in milli-GPU."""

    project: Project
    asked: int

    @property
    def most(self) -> int:
        """Tell the most that it could be given."""
        return min(self.asked, self.project.ceiling(self.asked))


def fair_shares(demands: Iterable[Demand], capacity: int) -> dict[str, int]:
    """Return the fair share of every project, in milli-GPU.

    `capacity` is what there is to share out. Quotas may add up to more: then everyone's share
    is what it has by right, and who comes first gets it.
    """
    asking = sorted(demands, key=lambda d: (-d.project.priority, d.project.name))
    shares = {d.project.name: min(d.project.quota, d.most) for d in asking}
    left = capacity - sum(shares.values())
    for _, bucket in groupby(asking, key=lambda d: d.project.priority):
        left = _share_out(tuple(bucket), shares, left)
    return shares


def _share_out(bucket: Sequence[Demand], shares: dict[str, int], left: int) -> int:
    """Give what is left to the projects of one bucket; return what none of them can use."""
    while left > 0:
        hungry = [d for d in bucket if d.project.weighs and shares[d.project.name] < d.most]
        if not hungry:
            break
        total = sum(d.project.weighs for d in hungry)
        portions = {d.project.name: left * d.project.weighs // total for d in hungry}
        if not any(portions.values()):  # less than a milli-GPU each: the heaviest first
            hungry.sort(key=lambda d: (-d.project.weighs, d.project.name))
            portions = {d.project.name: 1 for d in hungry[:left]}
        for demand in hungry:
            name = demand.project.name
            given = min(portions.get(name, 0), demand.most - shares[name])
            shares[name] += given
            left -= given
    return left
