"""Decide which sessions start, which release their GPUs, and why the others are queued.

A cycle reads everything and changes nothing; repeated on its own outcome, it decides nothing new.
The rules are KAI Scheduler's: allocate what is free in the order of precedence; where allowed,
move sessions to consolidate fragments; then reclaim GPUs from projects above their fair share for
one that stays within its own; then preempt, within a project, lower ranks for higher ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby

from ...model.reasons import Reason
from ...model.sessions import Session
from . import explain
from .allocation import allocate
from .cycle import Cycle
from .holders import held_by
from .placement import Allowed
from .queue import rank, safe_until
from .reclaim import consolidate, preempt, reclaim
from .snapshot import ClusterSnapshot, Decision, Plan
from .undivided import is_undivided, plain_reason

_Rank = tuple[bool, int]


class Reclaimable:
    """What sessions hold that may be preempted, by project and rank, once a cycle has decided."""

    def __init__(self, cycle: Cycle) -> None:
        self._cycle = cycle
        self._held: dict[Allowed, dict[str, Counter[_Rank]]] = {}

    def milli_for(self, session: Session, milli: int) -> int:
        """Return what could be reclaimed for a session that costs so much, in milli-GPU.

        Of its own project, that is what lower ranks hold; of another one, what it holds above its
        right, as for `reclaim`.
        """
        held = self._on(self._cycle.allowed(session))
        project, own = session.spec.project, rank(session)
        found = sum(amount for each, amount in held.get(project, Counter()).items() if each > own)
        for name, amounts in held.items():
            if name != project:
                found += max(0, min(amounts.total(), self._above(name, session, milli)))
        return found

    def _above(self, name: str, session: Session, milli: int) -> int:
        """Return how much a project holds above what it keeps from a session."""
        theirs, account = self._cycle.ledger.accounts[name], self._cycle.ledger.of(session)
        after = account.used + milli
        kept = [theirs.fair] if after <= account.fair else []
        kept += [theirs.project.quota] if after <= account.project.quota else []
        return theirs.used - min(kept, default=theirs.used)

    def _on(self, allowed: Allowed) -> dict[str, Counter[_Rank]]:
        """Return what sessions on some nodes hold that may be preempted."""
        if allowed not in self._held:
            held: dict[str, Counter[_Rank]] = {}
            for session in self._cycle.staying:
                if self._may(session) and self._is_on(session, allowed):
                    own = held.setdefault(session.spec.project, Counter())
                    own[rank(session)] += held_by(session)
            self._held[allowed] = held
        return self._held[allowed]

    def _may(self, session: Session) -> bool:
        cycle = self._cycle
        if not session.preemptible or session.id in cycle.evictions:
            return False
        project = cycle.ledger.of(session).project
        now = cycle.snapshot.now
        return safe_until(session, project, cycle.snapshot.rules, now) <= now

    @staticmethod
    def _is_on(session: Session, allowed: Allowed) -> bool:
        place = session.placement
        return place is not None and (allowed is None or place.node in allowed)


def plan(snapshot: ClusterSnapshot, spent: Callable[[], bool] = bool) -> Plan:
    """Return what one cycle decides.

    Once `spent` returns true, no more sessions are preempted: the next cycle goes on at once.
    """
    cycle = run_cycle(snapshot, spent)
    fair = {name: account.fair for name, account in cycle.ledger.accounts.items()}
    again = min(cycle.protected, default=None) if cycle.pending else None
    again = snapshot.now if cycle.is_cut else again
    return Plan(tuple(_decisions(cycle)), tuple(cycle.evictions.values()), fair, again)


def run_cycle(snapshot: ClusterSnapshot, spent: Callable[[], bool] = bool) -> Cycle:
    """Return one completed cycle."""
    cycle = Cycle(snapshot, spent)
    allocate(cycle)
    consolidate(cycle)
    reclaim(cycle)
    preempt(cycle)
    _explain(cycle)
    return cycle


def _explain(cycle: Cycle) -> None:
    """Add the reasons of pending sessions to the outcomes."""
    reasons: dict[object, Reason] = {}
    reclaimable = Reclaimable(cycle)
    for session in cycle.pending:
        shape = cycle.shape(session)
        if shape not in reasons:
            milli = cycle.cost(session.spec.share)
            more = partial(reclaimable.milli_for, session, milli)
            reasons[shape] = explain.explain(
                session, milli, cycle.ledger, cycle.now, cycle.allowed(session), more
            )
        cycle.outcomes[session.id] = reasons[shape]


def _decisions(cycle: Cycle) -> Iterator[Decision]:
    """Yield the outcomes of queued sessions; none waits behind one that is held."""
    held = cycle.snapshot.held
    undivided = is_undivided(cycle.snapshot.projects, cycle.snapshot.nodes)
    queue = [s for s in cycle.snapshot.sessions if s.state == "waiting"]
    queue.sort(key=lambda s: (s.spec.project, cycle.keys[s.id]))
    for _, members in groupby(queue, key=lambda s: s.spec.project):
        ahead = 0
        for session in members:
            outcome = cycle.outcomes[session.id]
            if undivided and isinstance(outcome, Reason):
                outcome = plain_reason(outcome)
            yield Decision(session.id, outcome, ahead)
            ahead += session.id not in held
