"""Decide which sessions start, which release their GPUs, and why the others are queued.

A cycle reads everything and changes nothing; repeated on its own outcome, it decides nothing new.
The rules are KAI Scheduler's: allocate what is free in the order of precedence; where allowed,
move sessions to consolidate fragments; then reclaim GPUs from projects above their fair share for
one that stays within its own; then preempt, within a project, lower ranks for higher ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby

from ...model.reasons import Reason
from . import explain
from .allocation import allocate
from .cycle import Cycle
from .reclaim import consolidate, preempt, reclaim
from .reclaimable import Reclaimable
from .snapshot import ClusterSnapshot, Decision, Plan
from .undivided import is_undivided, plain_reason


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
