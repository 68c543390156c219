"""Plans one cycle after another: where nothing has changed, the last plan still holds."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from ...model.sessions import Session
from .scheduler import plan
from .snapshot import ClusterSnapshot, Plan

_read = attrgetter(
    *("id", "spec", "state", "goal", "run", "since", "started", "created", "ends"),
    *("placement", "reclaimed"),
)
"""Returns what a cycle reads of a session."""


class Planner:
    """The last plan with what it was made from. `spent` returns when a cycle has to end."""

    def __init__(self, spent: Callable[[], Callable[[], bool]]) -> None:
        self._spent = spent
        self._last: tuple[ClusterSnapshot, Plan] | None = None

    def plan(self, snapshot: ClusterSnapshot) -> Plan:
        """Return what one cycle decides; the same plan while nothing has changed."""
        if self._last and _still_holds(*self._last, snapshot):
            return self._last[1]
        decided = plan(snapshot, self._spent())
        self._last = (snapshot, decided)
        return decided


def _still_holds(before: ClusterSnapshot, decided: Plan, now: ClusterSnapshot) -> bool:
    """Return whether another cycle would decide the same."""
    return (
        (decided.again is None or now.now < decided.again)
        and len(before.sessions) == len(now.sessions)
        and all(map(_is_same, before.sessions, now.sessions))
        and (before.projects, before.nodes, before.rules) == (now.projects, now.nodes, now.rules)
        and (before.holdings, before.held) == (now.holdings, now.held)
    )


def _is_same(before: Session, now: Session) -> bool:
    """Return whether a session is the same to the scheduler, whatever was measured of it."""
    return before is now or _read(before) == _read(now)
