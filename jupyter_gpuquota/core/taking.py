"""Take GPUs back: from other projects, inside a project, or to make one room out of fragments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from ..model.resources import Placement
from ..model.sessions import Session
from .allocation import turn_key
from .ledger import UNBOUNDED
from .line import line_key, rank
from .round import Round
from .victims import Judge, Victims, choose, held_by

Candidates = Callable[[Session, int], Iterable[Session]]
Judges = Callable[[Session, int], Sequence[Judge]]


def reclaim(turn: Round) -> None:
    """Take back what projects hold above their fair share, for one that stays within its own.

    What a project has by right is spared where anything else will do.
    """
    victims = [s for s in turn.staying if turn.may_go(s)] if turn.pending else []

    def candidates(taker: Session, milli: int) -> Iterable[Session]:
        account = turn.ledger.of(taker)
        if account.used + milli > account.fair:
            return ()
        own = taker.spec.project
        return (v for v in victims if v.spec.project != own and _above_fair(turn, (v,)))

    def judges(_: Session, __: int) -> Sequence[Judge]:
        def borrowed(found: Victims) -> bool:
            return _above_fair(turn, found) and _keep_quota(turn, found)

        def above(found: Victims) -> bool:
            return _above_fair(turn, found)

        return (borrowed, above)

    _take_back(turn, turn.pending, candidates, judges)


def preempt(turn: Round) -> None:
    """Take back what a project's sessions of lower rank hold, for one of higher."""
    takers = [*turn.pending, *turn.bounded]
    victims = defaultdict(list)
    for session in turn.staying if takers else ():
        if turn.may_go(session):
            victims[session.spec.project].append(session)

    def candidates(taker: Session, _: int) -> Iterable[Session]:
        return (v for v in victims[taker.spec.project] if rank(v) > rank(taker))

    def judges(taker: Session, milli: int) -> Sequence[Judge]:
        account = turn.ledger.of(taker)
        most = account.project.ceiling(UNBOUNDED)
        return (lambda found: account.used - sum(map(held_by, found)) + milli <= most,)

    _take_back(turn, takers, candidates, judges)


def consolidate(turn: Round) -> None:
    """Move sessions that may be reclaimed, where that makes room for one that waits."""
    if not turn.situation.rules.consolidate:
        return
    movable = [s for s in turn.staying if turn.may_move(s)] if turn.pending else []

    _take_back(
        turn,
        turn.pending,
        lambda *_: movable,
        lambda *_: (lambda _: True,),
        moved=True,
    )


def _take_back(
    turn: Round,
    takers: Sequence[Session],
    candidates: Candidates,
    judges: Judges,
    *,
    moved: bool = False,
) -> None:
    """Find victims for each of the takers in turn; judges are asked one after the other.

    Those that are `moved` must find another place.
    """
    vain: set[object] = set()
    served = set()
    for taker in sorted(takers, key=lambda s: turn_key(turn, s)):
        alike = (turn.shape(taker), rank(taker))
        milli = turn.cost(taker.spec.share)
        if alike in vain or turn.ledger.lacks_right(taker, milli):
            continue
        by_node = defaultdict(list)
        for victim in candidates(taker, milli):
            if victim.placement and victim.placement.slices and victim.id not in turn.evictions:
                by_node[victim.placement.node].append(victim)
        for judge in judges(taker, milli) if by_node else ():
            share, allowed = taker.spec.share, turn.allowed(taker)
            confirm = partial(_go_on_elsewhere, turn, taker) if moved else None
            if choice := choose(share, turn.soon, allowed, by_node, judge, confirm):
                turn.evict(taker, *choice, moved=moved)
                served.add(taker.id)
                vain.clear()
                break
        else:
            vain.add(alike)
    turn.pending[:] = [s for s in turn.pending if s.id not in served]
    turn.bounded[:] = [s for s in turn.bounded if s.id not in served]


def _above_fair(turn: Round, victims: Victims) -> bool:
    """Tell whether every project is above its fair share until its last victim goes."""
    taken: dict[str, list[int]] = defaultdict(list)
    for victim in victims:
        taken[victim.spec.project].append(held_by(victim))
    accounts = turn.ledger.accounts
    return all(
        accounts[name].used - sum(held) + max(held) > accounts[name].fair
        for name, held in taken.items()
    )


def _keep_quota(turn: Round, victims: Victims) -> bool:
    """Tell whether every project keeps what it has by right."""
    taken: dict[str, int] = defaultdict(int)
    for victim in victims:
        taken[victim.spec.project] += held_by(victim)
    accounts = turn.ledger.accounts
    return all(
        accounts[name].used - held >= accounts[name].project.quota for name, held in taken.items()
    )


def _go_on_elsewhere(turn: Round, taker: Session, victims: Victims) -> bool:
    """Tell whether taker and victims all find a place, in the order in which they will be given."""
    given = [victim.placement for victim in victims if victim.placement]
    for old in given:
        turn.soon.give(old)
    taken: list[Placement] = []
    for session in (taker, *sorted(victims, key=line_key)):
        found = turn.soon.find(session.spec.share, turn.allowed(session))
        if found is None:
            break
        turn.soon.take(found)
        taken.append(found)
    for new in taken:
        turn.soon.give(new)
    for old in given:
        turn.soon.take(old)
    return len(taken) == len(victims) + 1
