"""The fair shares of projects."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.scheduling.fairshare import Demand, fair_shares
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.resources import MILLI
from tests.core.test_fairness import NAMES, projects


def exact(demands: list[Demand], capacity: int) -> dict[str, Fraction]:
    """Return shares in proportion: in small steps, until all is given or all have what they may."""
    shares = {d.project.name: Fraction(min(d.project.quota, d.most)) for d in demands}
    for priority in sorted({d.project.priority for d in demands}, reverse=True):
        bucket = [d for d in demands if d.project.priority == priority and d.project.weighs]
        while wanting := [d for d in bucket if shares[d.project.name] < d.most]:
            left = capacity - sum(shares.values())
            if left <= 0:
                break
            total = sum(d.project.weighs for d in wanting)
            room = [Fraction(d.most - shares[d.project.name]) / d.project.weighs for d in wanting]
            level = min(Fraction(left) / total, *room)
            for demand in wanting:
                shares[demand.project.name] += level * demand.project.weighs
    return shares


@given(st.lists(st.integers(0, 9000), min_size=3, max_size=3), projects, st.integers(0, 12_000))
def test_shares_of_parts_are_the_exact_proportion_to_a_milli_gpu(
    asked: list[int], teams: tuple[Project, ...], capacity: int
) -> None:
    demands = [Demand(team, wish, parts=True) for team, wish in zip(teams, asked, strict=True)]
    shares = fair_shares(demands, capacity)
    for name, share in exact(demands, capacity).items():
        assert abs(shares[name] - share) <= 1


@given(
    st.lists(st.integers(0, 9000), min_size=3, max_size=3),
    projects,
    st.integers(0, 12).map(MILLI.__mul__),
)
def test_fair_shares_give_rights_first_and_then_all_there_is(
    asked: list[int], teams: tuple[Project, ...], capacity: int
) -> None:
    demands = [Demand(team, wish) for team, wish in zip(teams, asked, strict=True)]
    shares = fair_shares(demands, capacity)
    for demand in demands:
        share = shares[demand.project.name]
        assert min(demand.project.quota, demand.most) <= share <= demand.most
    rights = sum(min(d.project.quota, d.most) for d in demands)
    wanted = sum(d.most for d in demands)
    assert sum(shares.values()) == max(rights, min(wanted, capacity))


@given(
    st.lists(st.tuples(st.integers(0, 9000), st.booleans()), min_size=3, max_size=3),
    projects,
    st.integers(0, 12).map(MILLI.__mul__),
)
def test_fair_shares_are_whole_gpus_where_whole_ones_are_requested(
    asked: list[tuple[int, bool]], teams: tuple[Project, ...], capacity: int
) -> None:
    demands = [Demand(team, wish, parts) for team, (wish, parts) in zip(teams, asked, strict=True)]
    shares = fair_shares(demands, capacity)
    odd = [
        demand
        for demand in demands
        if (share := shares[demand.project.name]) % MILLI
        and share not in {demand.most, demand.project.quota}
    ]
    buckets = {d.project.priority for d in odd}
    for priority in buckets:
        bucket = [d for d in demands if d.project.priority == priority and d.project.weighs]
        rest = [d for d in odd if d.project.priority == priority]
        unsatisfied = [d for d in bucket if min(d.project.quota, d.most) < d.most]
        assert len(rest) == 1 or all(d.parts for d in unsatisfied)


@pytest.mark.parametrize(
    ("requested", "parts", "shares"),
    [
        ((9000, 9000, 9000), False, [4000, 3000, 3000]),
        ((9000, 9000, 9000), True, [3334, 3333, 3333]),
        ((9000, 500, 9000), False, [5000, 500, 4500]),
        ((1500, 9000, 9000), False, [1500, 4500, 4000]),
    ],
)
def test_remainders_go_to_the_largest(
    requested: tuple[int, ...],
    parts: bool,  # noqa: FBT001 (a parameter of the test)
    shares: list[int],
) -> None:
    teams = [Project(name=name, quota=0, weight=1000) for name in NAMES]
    demands = [Demand(team, wish, parts) for team, wish in zip(teams, requested, strict=True)]
    assert list(fair_shares(demands, 10_000).values()) == shares
