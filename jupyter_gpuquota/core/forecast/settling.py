"""What cycles come to rest in, if sessions start and end at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from ...model.quota import Project
from ...model.resources import Placement
from ...model.sessions import Session
from .. import lifecycle
from ..idle import lifetime
from ..scheduling.apply import apply_plan
from ..scheduling.holders import held_by
from ..scheduling.scheduler import plan
from ..scheduling.snapshot import ClusterSnapshot, Decision, Plan

_CYCLES = 50
"""The most cycles until nothing changes; each but the last starts or stops something."""


@dataclass(frozen=True, slots=True)
class SteadyState:
    """The state in which nothing changes without a new event.

    `plans` are those of all cycles, `lost` the ids of the sessions that were preempted on the way,
    in order.
    """

    sessions: Mapping[str, Session]
    plans: tuple[Plan, ...]
    lost: tuple[str, ...]

    @property
    def last(self) -> Plan:
        """Return the plan that changes nothing any more."""
        return self.plans[-1]

    def decision(self, session: str) -> Decision:
        """Return what the first cycle decides of a queued session."""
        return next(d for d in self.plans[0].decisions if d.session == session)

    def started(self, session: str) -> int | None:
        """Return the number of the first cycle that starts a session, from 0; None if none does."""
        for number, plan_ in enumerate(self.plans):
            if any(
                d.session == session and isinstance(d.outcome, Placement) for d in plan_.decisions
            ):
                return number
        return None

    @property
    def fair(self) -> Mapping[str, int]:
        """Return the fair shares, in milli-GPU."""
        return self.last.fair

    def allocated(self, project: str) -> int:
        """Return what a project holds, in milli-GPU."""
        return sum(held_by(s) for s in self.sessions.values() if s.spec.project == project)


def settle(snapshot: ClusterSnapshot) -> SteadyState:
    """Return the state after cycles until nothing changes.

    Sessions whose maximum run time is over have ended; those that are stopping hold their GPUs
    during the first cycle.
    """
    projects = {p.name: p for p in snapshot.projects}
    sessions = {
        s.id: _ended(s, projects.get(s.spec.project), snapshot.now) for s in snapshot.sessions
    }
    plans: list[Plan] = []
    lost = dict[str, None]()
    for _ in range(_CYCLES):
        decided = plan(replace(snapshot, sessions=tuple(sessions.values())))
        plans.append(decided)
        lost |= dict.fromkeys(eviction.session for eviction in decided.evictions)
        changed = apply_plan(decided, sessions, snapshot.now)
        leaving = [s for s in sessions.values() if s.state == "stopping"]
        sessions |= {s.id: lifecycle.finish_end(s, snapshot.now) for s in leaving}
        if not changed and not leaving:
            break
    return SteadyState(sessions, tuple(plans), tuple(lost))


def _ended(session: Session, project: Project | None, now: datetime) -> Session:
    """Return a session as ended if its maximum run time is over."""
    bounded = lifetime.bounded(session, project)
    if bounded.ends is None or bounded.ends > now:
        return session
    return lifecycle.finish_end(lifetime.end(bounded, now), now)
