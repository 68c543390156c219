"""The fair shares of projects.

The rule is KAI Scheduler's (proportion plugin): first every project gets what it requests, up to
its quota; the rest goes to the priorities, highest first, and within one in proportion to the
over-quota weights, never beyond what a project requests or may have. What one project cannot use
is distributed again.

Shares are whole GPUs, as in KAI, since a part of a GPU is of no use to a session that needs whole
ones: what rounding leaves goes to the largest remainders. Where only parts of GPUs are requested,
shares are exact. Unlike in KAI, no remainder lifts a project above its request or its limit, or
falls to a lower priority.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from ...model.quota import Project
from ...model.resources import MILLI


@dataclass(frozen=True, slots=True)
class Demand:
    """The total demand of one project: what it holds and what it has queued, in milli-GPU.

    `parts`: all of it is for parts of GPUs.
    """

    project: Project
    requested: int
    parts: bool = False

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
        wanting = [d for d in bucket if d.project.weighs and shares[d.project.name] < d.most]
        if left > 0 and wanting:
            shares |= _rounded(wanting, shares, _in_proportion(wanting, shares, left))
            left = capacity - sum(shares.values())
    return shares


def _in_proportion(
    wanting: Sequence[Demand], shares: Mapping[str, int], left: int
) -> dict[str, Fraction]:
    """Return exact shares after what is left was distributed in proportion to the weights."""
    exact: dict[str, Fraction] = {}
    rest, total = Fraction(left), sum(d.project.weighs for d in wanting)
    for demand in sorted(wanting, key=lambda d: _room(d, shares)):  # the first satisfied first
        name, weight = demand.project.name, demand.project.weighs
        more = min(Fraction(demand.most - shares[name]), rest * weight / total)
        exact[name] = shares[name] + more
        rest, total = rest - more, total - weight
    return exact


def _room(demand: Demand, shares: Mapping[str, int]) -> Fraction:
    return Fraction(demand.most - shares[demand.project.name], demand.project.weighs)


def _rounded(
    wanting: Sequence[Demand], before: Mapping[str, int], exact: Mapping[str, Fraction]
) -> dict[str, int]:
    """Return shares in units that add up to the exact ones: the largest remainders go first."""
    unit = 1 if all(d.parts for d in wanting) else MILLI
    shares: dict[str, int] = {}
    for demand in wanting:
        name = demand.project.name
        least = max(before[name], int(exact[name] // unit) * unit)
        shares[name] = demand.most if exact[name] == demand.most else least
    left = int(sum(exact.values())) - sum(shares.values())
    for in_units in (True, False):  # at the end less than a unit is left
        for name, most in _by_remainder(wanting, shares, exact):
            more = min((shares[name] // unit + 1) * unit, most) - shares[name]
            if more <= left or not in_units:
                shares[name] += min(more, left)
                left -= min(more, left)
    return shares


def _by_remainder(
    wanting: Sequence[Demand], shares: Mapping[str, int], exact: Mapping[str, Fraction]
) -> list[tuple[str, int]]:
    """Return projects and the most they could be given, the furthest below its share first."""
    found = ((d.project.name, d.most) for d in wanting)
    return sorted(found, key=lambda item: (shares[item[0]] - exact[item[0]], item[0]))
