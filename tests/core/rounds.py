"""Running rounds until nothing changes, with sessions that start and end at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from jupyter_gpuquota.core.scheduling.allocation import apply_plan
from jupyter_gpuquota.core.scheduling.scheduler import plan
from jupyter_gpuquota.core.scheduling.snapshot import ClusterSnapshot, Plan
from jupyter_gpuquota.model.quota import USUAL_RULES, Project, Rules
from jupyter_gpuquota.model.resources import Node
from jupyter_gpuquota.model.sessions import Session
from tests.builders import NOW

MOST = 60
SECOND = timedelta(seconds=1)


def play(
    sessions: Iterable[Session],
    projects: Sequence[Project],
    nodes: Sequence[Node],
    rules: Rules = USUAL_RULES,
    now: datetime = NOW,
    spent: Callable[[], bool] = bool,
    tick: timedelta = SECOND,
) -> tuple[dict[str, Session], list[Plan]]:
    """Return the sessions by name once nothing changes any more, and what every round decided.

    The clock moves on by `tick` between two rounds. Once `spent` returns true, a round preempts no
    more.
    """
    by_id = {session.id: session for session in sessions}
    plans: list[Plan] = []
    while len(plans) < MOST:
        now += tick
        decided = plan(ClusterSnapshot(list(by_id.values()), projects, nodes, now, rules), spent)
        plans.append(decided)
        if not apply_plan(decided, by_id, now):
            return {session.spec.name: session for session in by_id.values()}, plans
    raise AssertionError(f"nothing settles within {MOST} rounds")
