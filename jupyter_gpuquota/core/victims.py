"""Choose whose GPUs are taken back for a session that has the better right to them.

As few as will do, and of those the ones that lose least: of low priority, small, young.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

from ..model.resources import Placement, Share
from ..model.sessions import Session
from .placement import Allowed, Pool
from .rooms import NodeRoom

EXACT = 4000
"""Sets of victims that are compared on one node; beyond, they are chosen one after the other."""

Victims = tuple[Session, ...]
Judge = Callable[[Victims], bool]
Confirm = Callable[[Victims], bool]
Choice = tuple[Victims, Placement]


def choose(
    share: Share,
    pool: Pool,
    allowed: Allowed,
    candidates: Mapping[str, Sequence[Session]],
    judge: Judge,
    confirm: Confirm | None = None,
) -> Choice | None:
    """Find the fewest victims on one node whose going makes room for a share.

    `pool` is what is free, `candidates` the sessions that may be taken, by node. `judge` tells
    whether a set of them may go together, `confirm` whether it is worth it where that helps.
    """
    nodes = [
        (pool.nodes[name], sorted(sessions, key=_worth))
        for name, sessions in sorted(candidates.items())
        if name in pool.nodes and (allowed is None or name in allowed)
    ]
    nodes = [(node, them) for node, them in nodes if _fits_without(share, node, tuple(them))]
    longest = max((len(them) for _, them in nodes), default=0)
    for count in range(1, longest + 1):
        found = [
            choice
            for node, sessions in nodes
            if len(sessions) >= count
            for choice in _sets(share, node, sessions, count, judge)
            if confirm is None or confirm(choice[0])
        ]
        if found:
            return min(found, key=lambda choice: _loss(choice[0]))
    return None


def _sets(
    share: Share, node: NodeRoom, sessions: Sequence[Session], count: int, judge: Judge
) -> Iterator[Choice]:
    """Iterate over the sets of so many sessions whose going would do."""
    if comb(len(sessions), count) <= EXACT:
        sets: Iterable[Victims] = combinations(sessions, count)
    else:
        sets = [tuple(sorted(sessions, key=_gain)[:count]), tuple(sessions[:count])]
    for victims in sets:
        if judge(victims) and (placement := _fits_without(share, node, victims)):
            yield victims, placement


def _fits_without(share: Share, node: NodeRoom, victims: Victims) -> Placement | None:
    for victim in victims:
        node.change(victim.placement.slices if victim.placement else (), 1)
    found = node.fit(share)
    for victim in victims:
        node.change(victim.placement.slices if victim.placement else (), -1)
    return found


def held_by(session: Session) -> int:
    """Tell what a session holds, in milli-GPU."""
    return session.placement.milli if session.placement else 0


def _worth(session: Session) -> tuple[int, int, float, str]:
    """Order by what is lost: low priority, few GPUs, and little work done come first."""
    began = (session.started or session.since).timestamp()
    return (session.spec.priority, held_by(session), -began, session.id)


def _gain(session: Session) -> tuple[int, str]:
    return (-held_by(session), session.id)


def _loss(victims: Victims) -> tuple[int, int, float, tuple[str, ...]]:
    worth = [_worth(victim) for victim in victims]
    return (
        max(priority for priority, _, _, _ in worth),
        sum(milli for _, milli, _, _ in worth),
        sum(began for _, _, began, _ in worth),
        tuple(name for _, _, _, name in worth),
    )
