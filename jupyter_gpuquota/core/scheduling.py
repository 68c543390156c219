"""Decide who starts, who gives GPUs back, and why the others wait.

One round looks at everything and changes nothing; played again on its own outcome, it decides
nothing new. The rules are KAI Scheduler's: what is free is given out, those with the better
right first; where allowed, sessions are moved to make room out of fragments; then GPUs are taken
back from projects above their fair share for one that stays within its own; then, inside a
project, from the lower rank for the higher.
"""

from __future__ import annotations

from itertools import groupby

from ..model.reasons import Reason
from . import waiting
from .allocation import allocate
from .line import line_key
from .plans import Decision, Plan, Situation
from .round import Round
from .taking import consolidate, preempt, reclaim


def plan(situation: Situation) -> Plan:
    """Play one round, and say what it decides."""
    turn = play(situation)
    fair = {name: account.fair for name, account in turn.ledger.accounts.items()}
    again = min(turn.protected, default=None) if turn.pending else None
    return Plan(_decisions(turn), tuple(turn.evictions.values()), fair, again)


def play(situation: Situation) -> Round:
    """Play one round."""
    turn = Round(situation)
    allocate(turn)
    consolidate(turn)
    reclaim(turn)
    preempt(turn)
    _explain(turn)
    return turn


def _explain(turn: Round) -> None:
    """Say why those wait that no rule forbids."""
    reasons: dict[object, Reason] = {}
    for session in turn.pending:
        shape = turn.shape(session)
        if shape not in reasons:
            milli = turn.cost(session.spec.share)
            reasons[shape] = waiting.explain(
                session, milli, turn.ledger, turn.now, turn.allowed(session)
            )
        turn.outcomes[session.id] = reasons[shape]


def _decisions(turn: Round) -> tuple[Decision, ...]:
    line = sorted(turn.line, key=lambda s: (s.spec.project, *line_key(s)))
    return tuple(
        Decision(session.id, turn.outcomes[session.id], ahead)
        for _, members in groupby(line, key=lambda s: s.spec.project)
        for ahead, session in enumerate(s for s in members if s.state == "waiting")
    )
