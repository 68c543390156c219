"""Apply a plan as if starts and ends took no time: for previews and simulations."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ...model.resources import Placement
from ...model.sessions import Session
from .. import lifecycle
from .snapshot import Plan


def apply_plan(decided: Plan, sessions: dict[str, Session], now: datetime) -> bool:
    """Apply a plan to the sessions, by id; return whether any started or was preempted."""
    for eviction in decided.evictions:
        leaving = lifecycle.request_requeue(
            sessions[eviction.session], eviction.reclaim, eviction.reason
        )
        sessions[eviction.session] = lifecycle.finish_end(leaving, now)
    started = False
    for decision in decided.decisions:
        session = sessions[decision.session]
        if isinstance(decision.outcome, Placement):
            running = lifecycle.move(lifecycle.move(session, "starting", now), "running", now)
            sessions[session.id] = msgspec.structs.replace(
                running, placement=decision.outcome, run=session.run + 1
            )
            started = True
        else:
            sessions[session.id] = msgspec.structs.replace(session, reason=decision.outcome)
    return started or bool(decided.evictions)
