"""Preempt sessions: of other projects, within a project, or to consolidate fragments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from ...model.sessions import Session
from .cycle import Cycle
from .holders import Holders, Victims, held_by
from .ledger import UNBOUNDED, Account
from .preemption import Candidates, preempt_for
from .queue import rank


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

    def candidates(taker: Session, milli: int) -> Candidates | None:
        account = cycle.ledger.of(taker)
        if account.used + milli > account.right:
            return None

        def may(victim: Session) -> bool:
            theirs = accounts[victim.spec.project]
            over = theirs.used > min(theirs.fair, theirs.project.quota)
            return over and victim.id not in cycle.evictions

        def fair(found: Victims, cost: int) -> bool:
            return (
                account.used + cost <= account.fair
                and _above(cycle, found, _fair)
                and not cycle.ledger.exceeds_quota(taker, cost)
            )

        def borrowed(found: Victims, cost: int) -> bool:
            return fair(found, cost) and _keep_quota(cycle, found)

        def owed(found: Victims, cost: int) -> bool:
            return (
                account.used + cost <= account.project.quota
                and _above(cycle, found, _quota)
                and not cycle.ledger.exceeds_quota(taker, cost)
            )

        return holders, may, (borrowed, fair, owed)

    preempt_for(cycle, cycle.pending, candidates)


def preempt(cycle: Cycle) -> None:
    """Preempt sessions of lower rank for one of higher rank in the same project.

    What another project took back is not taken from a colleague: only one of them loses its work.
    """
    takers = [s for s in (*cycle.pending, *cycle.bounded) if not _gave_back(s)]
    bounded = {session.id for session in cycle.bounded}
    names = {session.spec.project for session in takers}
    own = defaultdict(list)
    for session in cycle.staying if takers else ():
        if session.spec.project in names and cycle.may_preempt(session):
            own[session.spec.project].append(session)
    holders = {name: Holders(sessions) for name, sessions in own.items()}

    def candidates(taker: Session, milli: int) -> Candidates | None:
        account = cycle.ledger.of(taker)
        most = account.project.ceiling(UNBOUNDED)

        def may(victim: Session) -> bool:
            return rank(victim) > rank(taker) and victim.id not in cycle.evictions

        def valid(found: Victims, cost: int) -> bool:
            less = sum(map(held_by, found))
            return account.used - less + cost <= most and not cycle.ledger.exceeds_quota(
                taker, cost
            )

        found = holders.get(taker.spec.project)
        return (found, may, (valid,)) if found else None

    preempt_for(cycle, takers, candidates, anywhere=bounded)


def consolidate(cycle: Cycle) -> None:
    """Move preemptible sessions where that makes room for one that stays within its right.

    Whoever borrows beyond the fair share moves nobody: it might have to give back at once.
    """
    if not cycle.snapshot.rules.consolidate or not cycle.pending:
        return
    holders = Holders(s for s in cycle.staying if cycle.may_move(s))

    def may(victim: Session) -> bool:
        return victim.id not in cycle.evictions

    def candidates(taker: Session, milli: int) -> Candidates | None:
        account = cycle.ledger.of(taker)

        def valid(_: Victims, cost: int) -> bool:
            within = account.used + cost <= account.right
            return within and not cycle.ledger.refuses(taker, cost)

        return (holders, may, (valid,)) if account.used + milli <= account.right else None

    preempt_for(cycle, cycle.pending, candidates, moved=True)


def _gave_back(session: Session) -> bool:
    """Return whether a session lost its GPUs to another project."""
    lost = session.reclaimed
    return lost is not None and not lost.moved and lost.project != session.spec.project


def _fair(account: Account) -> int:
    return account.fair


def _quota(account: Account) -> int:
    return account.project.quota


def _above(cycle: Cycle, victims: Victims, right: Callable[[Account], int]) -> bool:
    """Return whether every project is above what is its right until its last victim stops."""
    taken: dict[str, list[int]] = defaultdict(list)
    for victim in victims:
        taken[victim.spec.project].append(held_by(victim))
    accounts = cycle.ledger.accounts
    return all(
        accounts[name].used - sum(held) + max(held) > right(accounts[name])
        for name, held in taken.items()
    )


def _keep_quota(cycle: Cycle, victims: Victims) -> bool:
    """Return whether every project keeps its quota."""
    taken: dict[str, int] = defaultdict(int)
    for victim in victims:
        taken[victim.spec.project] += held_by(victim)
    accounts = cycle.ledger.accounts
    return all(
        accounts[name].used - held >= accounts[name].project.quota for name, held in taken.items()
    )
