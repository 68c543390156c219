"""Take GPUs back: from other projects, inside a project, or to make one room out of fragments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import partial

from ..model.resources import Placement
from ..model.sessions import Session
from .allocation import turn_key
from .ledger import UNBOUNDED
from .line import line_key, rank
from .round import Round
from .victims import Holders, Judge, Search, Victims, held_by

Ruling = tuple[Holders, Callable[[Session], bool], Sequence[Judge]]
Rules = Callable[[Session, int], Ruling | None]
"""Say for a taker and what it costs who holds GPUs, who of them may go, and who together."""


def reclaim(turn: Round) -> None:
    """Take back what projects hold above their fair share, for one that stays within its own.

    What a project has by right is spared where anything else will do.
    """
    accounts = turn.ledger.accounts

    def may(victim: Session) -> bool:
        account = accounts[victim.spec.project]
        return account.used > account.fair and victim.id not in turn.evictions

    staying = turn.staying if turn.pending else ()
    holders = Holders(s for s in staying if turn.may_go(s) and may(s))

    def rules(taker: Session, milli: int) -> Ruling | None:
        account = turn.ledger.of(taker)

        def above(found: Victims, cost: int) -> bool:
            return (
                account.used + cost <= account.fair
                and _above_fair(turn, found)
                and not turn.ledger.lacks_right(taker, cost)
            )

        def borrowed(found: Victims, cost: int) -> bool:
            return above(found, cost) and _keep_quota(turn, found)

        if account.used + milli > account.fair or not any(
            a.used > a.fair for a in accounts.values()
        ):
            return None
        return holders, may, (borrowed, above)

    _take_back(turn, turn.pending, rules)


def preempt(turn: Round) -> None:
    """Take back what a project's sessions of lower rank hold, for one of higher."""
    takers = [*turn.pending, *turn.bounded]
    bounded = {session.id for session in turn.bounded}
    names = {session.spec.project for session in takers}
    own = defaultdict(list)
    for session in turn.staying if takers else ():
        if session.spec.project in names and turn.may_go(session):
            own[session.spec.project].append(session)
    holders = {name: Holders(sessions) for name, sessions in own.items()}

    def rules(taker: Session, milli: int) -> Ruling | None:
        account = turn.ledger.of(taker)
        most = account.project.ceiling(UNBOUNDED)

        def may(victim: Session) -> bool:
            return rank(victim) > rank(taker) and victim.id not in turn.evictions

        def judge(found: Victims, cost: int) -> bool:
            less = sum(map(held_by, found))
            return account.used - less + cost <= most and not turn.ledger.lacks_right(taker, cost)

        found = holders.get(taker.spec.project)
        return (found, may, (judge,)) if found else None

    _take_back(turn, takers, rules, anywhere=bounded)


def consolidate(turn: Round) -> None:
    """Move sessions that may be reclaimed, where that makes room for one that waits."""
    if not turn.situation.rules.consolidate or not turn.pending:
        return
    holders = Holders(s for s in turn.staying if turn.may_move(s))

    def may(victim: Session) -> bool:
        return victim.id not in turn.evictions

    def rules(taker: Session, _: int) -> Ruling:
        def judge(_: Victims, cost: int) -> bool:
            return not turn.ledger.refuses(taker, cost)

        return holders, may, (judge,)

    _take_back(turn, turn.pending, rules, moved=True)


def _take_back(
    turn: Round,
    takers: Sequence[Session],
    rules: Rules,
    *,
    anywhere: Collection[str] = (),
    moved: bool = False,
) -> None:
    """Find victims for each of the takers in turn; judges are asked one after the other.

    Those that are `moved` must find another place. The project of those in `anywhere` has to
    hold less, wherever that is.
    """
    vain: set[object] = set()
    served = set()
    for taker in sorted(takers, key=lambda s: turn_key(turn, s)):
        alike = (turn.shape(taker), rank(taker))
        milli = turn.cost(taker.spec.share)
        if alike in vain or turn.ledger.lacks_right(taker, milli):
            continue
        holders, may, judges = rules(taker, milli) or (Holders(()), bool, ())
        confirm = partial(_go_on_elsewhere, turn, taker) if moved else None
        share, allowed = taker.spec.share, turn.allowed(taker)
        for judge in judges if holders.alike else ():
            everywhere = taker.id in anywhere
            search = Search(share, milli, turn.soon, allowed, may, judge, confirm, everywhere)
            if choice := search.choose(holders):
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
