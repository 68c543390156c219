"""The arithmetic of quotas: examples worked out by hand, and what always holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.kubernetes.engines.kueue.quota_tree import (
    Member,
    QuotaTree,
    cohort,
    queue,
    tree_of,
)

A, B, ALL = queue("a"), queue("b"), cohort("all")


def two(used_a: int = 0, used_b: int = 0, **of_a: int) -> QuotaTree:
    members = [Member(A, ALL, 4, **of_a), Member(B, ALL, 2)]
    return tree_of(members, {A: used_a, B: used_b})


def test_members_of_a_cohort_borrow_what_others_leave() -> None:
    assert two().available(A) == 6
    assert two(used_b=1).available(A) == 5
    assert two(used_a=4, used_b=1).available(A) == 1
    assert two(used_a=6).available(B) == 0
    assert two(used_a=6).borrows(A)


def test_a_borrowing_limit_bounds_the_borrower() -> None:
    assert two(borrowing=1).available(A) == 5
    assert two(borrowing=0, used_a=1).available(A) == 3
    assert (two(borrowing=1).most(A), two(borrowing=1).limit(A)) == (5, 5)
    assert (two().most(A), two().limit(A)) == (6, None)


def test_a_lending_limit_keeps_quota_for_its_owner() -> None:
    lends_one = two(used_b=3, lending=1)
    assert lends_one.available(B) == 0
    assert lends_one.available(A) == 3
    assert two(lending=1).available(B) == 3


def test_a_queue_without_a_cohort_stands_alone() -> None:
    tree = tree_of([Member(A, None, 4)], {A: 1})
    assert (tree.available(A), tree.most(A), tree.limit(A)) == (3, 4, 4)


def test_a_nested_cohort_lends_its_own_members_first() -> None:
    team = cohort("team")
    members = [
        Member(A, team, 4, borrowing=0),
        Member(B, team, 0),
        Member(team, ALL),
        Member(queue("other"), ALL, 8),
    ]
    tree = tree_of(members, {B: 5})
    assert tree.borrows(team)
    assert tree.available(A) == 4
    assert tree.available(B) == 7
    assert tree.queues_below(team) == {A, B}


def test_a_circle_of_cohorts_lends_nothing() -> None:
    one, other = cohort("one"), cohort("other")
    tree = tree_of([Member(A, one, 4), Member(one, other), Member(other, one, 8)], {})
    assert tree.available(A) == 4


AMOUNTS = st.integers(min_value=0, max_value=10)
LIMITS = st.none() | AMOUNTS


@st.composite
def trees(draw: st.DrawFn) -> QuotaTree:
    teams = [cohort(name) for name in "xy"]
    members = [Member(team, ALL, draw(AMOUNTS), draw(LIMITS), draw(LIMITS)) for team in teams]
    queues = [queue(name) for name in "abcd"]
    members += [
        Member(key, draw(st.sampled_from([*teams, ALL])), draw(AMOUNTS), draw(LIMITS), draw(LIMITS))
        for key in queues
    ]
    return tree_of(members, {key: draw(AMOUNTS) for key in queues})


@given(trees())
def test_what_always_holds(tree: QuotaTree) -> None:
    for key in (at for at in tree.members if at[0] == "queue"):
        free, limit = tree.available(key), tree.limit(key)
        assert free <= tree.most(key)
        assert limit is None or tree.most(key) <= limit
        if free > 0:
            assert tree.using(key, free).available(key) == 0
        nothing = QuotaTree(tree.members, {})
        assert nothing.available(key) == nothing.most(key)
