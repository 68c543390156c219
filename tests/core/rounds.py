"""Play rounds until nothing changes, as a backend would whose sessions start and end at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from jupyter_gpuquota.core import lifecycle
from jupyter_gpuquota.core.plans import Plan, Situation
from jupyter_gpuquota.core.scheduling import plan
from jupyter_gpuquota.model.quota import USUAL_RULES, Project, Rules
from jupyter_gpuquota.model.resources import Node, Placement
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW

MOST = 60


def play(
    sessions: Iterable[Session],
    projects: Sequence[Project],
    nodes: Sequence[Node],
    rules: Rules = USUAL_RULES,
    now: datetime = NOW,
) -> tuple[dict[str, Session], list[Plan]]:
    """Return the sessions by name once nothing changes any more, and what every round decided.

    A second passes between two rounds.
    """
    by_id = {session.id: session for session in sessions}
    plans: list[Plan] = []
    while len(plans) < MOST:
        now += timedelta(seconds=1)
        decided = plan(Situation(list(by_id.values()), projects, nodes, now, rules))
        plans.append(decided)
        changed = False
        for eviction in decided.evictions:
            leaving = lifecycle.request_requeue(
                by_id[eviction.session], eviction.reclaim, eviction.reason
            )
            by_id[eviction.session] = lifecycle.finish_end(leaving, now)
            changed = True
        for decision in decided.decisions:
            session = by_id[decision.session]
            if isinstance(decision.outcome, Placement):
                started = lifecycle.move(lifecycle.move(session, "starting", now), "running", now)
                by_id[session.id] = msgspec.structs.replace(started, placement=decision.outcome)
                changed = True
            else:
                by_id[session.id] = msgspec.structs.replace(session, reason=decision.outcome)
        if not changed:
            return {session.spec.name: session for session in by_id.values()}, plans
    raise AssertionError(f"nothing settles within {MOST} rounds")
