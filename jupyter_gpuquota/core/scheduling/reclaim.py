"""Preempt sessions: of other projects, within a project, or to consolidate fragments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...model.sessions import Session
from .allocation import order_key
from .cycle import Cycle
from .holders import Holders, Victims
from .ledger import UNBOUNDED, Account
from .preemption import Strategy, preempt_for
from .queue import rank

_TRIALS, _ALL_TRIALS = 50, 200
"""The most sets of sessions whose move is tried for one session, and in one cycle."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a taker stays within, and what others hold above: `right`, in milli-GPU.

    With `keeps_quota`, others keep their quotas.
    """

    right: Callable[[Account], int]
    keeps_quota: bool = False


_CLAIMS = (
    _Claim(lambda account: account.fair, keeps_quota=True),
    _Claim(lambda account: account.fair),
    _Claim(lambda account: account.project.quota),
)


def reclaim(cycle: Cycle) -> None:
    """Reclaim what projects hold above their right, for one that stays within its own.

    Whoever stays within the fair share may take from those above theirs; whoever stays within the
    quota may also take from those above their quota, as what is in quota is never withheld.
    Quotas are left alone where borrowed GPUs suffice. These are KAI Scheduler's two strategies
    (`MaintainFairShare` and `GuaranteeDeservedQuota` of its plugin proportion).
    """
    accounts = cycle.ledger.accounts
    staying = cycle.staying if cycle.pending else ()
    above = {name for name, a in accounts.items() if a.used > min(a.fair, a.project.quota)}
    holders = Holders(s for s in staying if s.spec.project in above and cycle.may_preempt(s))

    def strategies(taker: Session, milli: int) -> Sequence[Strategy]:
        after = cycle.ledger.of(taker).used + milli
        within = [claim for claim in _CLAIMS if after <= claim.right(cycle.ledger.of(taker))]
        return [_strategy(cycle, holders, taker, claim) for claim in within]

    preempt_for(cycle, cycle.pending, strategies)


def _strategy(cycle: Cycle, holders: Holders, taker: Session, claim: _Claim) -> Strategy:
    accounts, account = cycle.ledger.accounts, cycle.ledger.of(taker)
    right, keeps_quota = claim.right, claim.keeps_quota

    def may(victim: Session) -> bool:
        theirs = accounts[victim.spec.project]
        return (
            theirs.used > right(theirs)
            and victim.id not in cycle.evictions
            and not (keeps_quota and theirs.used - holders.milli(victim) < theirs.project.quota)
        )

    def valid(victims: Victims, cost: int) -> bool:
        return (
            account.used + cost <= right(account)
            and not cycle.ledger.exceeds_quota(taker, cost)
            and (len(victims) == 1 or _give(cycle, holders, victims, claim))
        )

    return Strategy(claim, holders, may, valid)


def preempt(cycle: Cycle) -> None:
    """Preempt sessions of lower rank for one of higher rank in the same project.

    What another project took back is not taken from a colleague: only one of them loses its work.
    Sessions that this cycle would start are victims, too, and the first: they have done nothing.
    Then it is their turn, so that the next cycle does not preempt what this one has started.
    """
    tried: set[str] = set()
    while takers := [s for s in _takers(cycle) if s.id not in tried]:
        tried.update(taker.id for taker in takers)
        before = len(cycle.evictions)
        _preempt(cycle, takers)
        if len(cycle.evictions) > before:
            tried -= _try_again(cycle)


def _takers(cycle: Cycle) -> Iterator[Session]:
    return (s for s in (*cycle.pending, *cycle.bounded) if not _gave_back(s))


def _try_again(cycle: Cycle) -> set[str]:
    """Place sessions that are within their project's bounds, now that others leave.

    Return those that are not, but whose turn it is again.
    """
    bounded = sorted(cycle.bounded, key=lambda s: order_key(cycle, s))
    for session in bounded:
        if not cycle.ledger.refuses(session, cycle.cost(session.spec.share)):
            cycle.bounded.remove(session)
            cycle.attempt(session)
    return {session.id for session in cycle.bounded}


def _preempt(cycle: Cycle, takers: Sequence[Session]) -> None:
    names = {session.spec.project for session in takers}
    own = defaultdict(list)
    for session in cycle.staying:
        if session.spec.project in names and cycle.may_preempt(session):
            own[session.spec.project].append(session)
    for session in cycle.started():
        if session.spec.project in names and session.preemptible:
            own[session.spec.project].append(session)
    holders = {name: Holders(sessions) for name, sessions in own.items()}

    def strategies(taker: Session, milli: int) -> Sequence[Strategy]:
        name, account, own_rank = taker.spec.project, cycle.ledger.of(taker), rank(taker)
        most = account.project.ceiling(UNBOUNDED)

        def may(victim: Session) -> bool:
            return rank(victim) > own_rank and victim.id not in cycle.evictions

        def valid(victims: Victims, cost: int) -> bool:
            less = sum(map(holders[name].milli, victims))
            return account.used - less + cost <= most and not cycle.ledger.exceeds_quota(
                taker, cost
            )

        lack = max(0, account.used + milli - most)
        key = (name, own_rank)
        return [Strategy(key, holders[name], may, valid, lack)] if name in holders else ()

    preempt_for(cycle, takers, strategies)


def consolidate(cycle: Cycle) -> None:
    """Move preemptible sessions where that makes room for one that stays within its right.

    Whoever borrows beyond the fair share moves nobody: it might have to give back at once. As most
    moves that are tried lead nowhere, only so many are.
    """
    if not cycle.snapshot.rules.consolidate or not cycle.pending:
        return
    holders = Holders(s for s in cycle.staying if cycle.may_move(s))
    tried: Counter[str] = Counter()

    def may(victim: Session) -> bool:
        return victim.id not in cycle.evictions

    def strategies(taker: Session, milli: int) -> Sequence[Strategy]:
        account = cycle.ledger.of(taker)

        def spent() -> bool:
            return tried[taker.id] >= _TRIALS or tried.total() >= _ALL_TRIALS

        def valid(_: Victims, cost: int) -> bool:
            tried[taker.id] += 1
            within = account.used + cost <= account.right
            return within and not cycle.ledger.refuses(taker, cost)

        within = account.used + milli <= account.right and milli <= cycle.soon.free().milli
        return (
            [Strategy("moves", holders, may, valid, spent=spent)] if within and not spent() else ()
        )

    preempt_for(cycle, cycle.pending, strategies, moved=True)


def _gave_back(session: Session) -> bool:
    """Return whether a session lost its GPUs to another project."""
    lost = session.reclaimed
    return lost is not None and not lost.moved and lost.project != session.spec.project


def _give(cycle: Cycle, holders: Holders, victims: Victims, claim: _Claim) -> bool:
    """Return whether every project is above its right until its last victim stops."""
    taken: dict[str, list[int]] = defaultdict(list)
    for victim in victims:
        taken[victim.spec.project].append(holders.milli(victim))
    for name, held in taken.items():
        account = cycle.ledger.accounts[name]
        left = account.used - sum(held)
        if left + max(held) <= claim.right(account):
            return False
        if claim.keeps_quota and left < account.project.quota:
            return False
    return True
