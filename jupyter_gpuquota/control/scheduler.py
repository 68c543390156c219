"""Run scheduling cycles of our own core and carry out their decisions.

It runs in the worker thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter

import msgspec

from ..core import lifecycle
from ..core.datasets.mounts import fetched, fetching
from ..core.scheduling.scheduler import plan
from ..core.scheduling.snapshot import ClusterSnapshot, Eviction, Plan
from ..errors import StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import Session
from .board import Board, snapshot_of
from .ending.supervisor import SessionSupervisor
from .runtime import Runner, SessionStore

CYCLE = 0.2
"""Seconds after which a cycle preempts no more sessions, and leaves the lane to users."""


class Scheduler:
    """Runs a scheduling cycle after every change, and when the last cycle asked for another."""

    def __init__(
        self, board: Board, store: SessionStore, runner: Runner, supervisor: SessionSupervisor
    ) -> None:
        self._board = board
        self._store = store
        self._runner = runner
        self._supervisor = supervisor
        self._ran_at = 0
        self._again: datetime | None = None
        self._planner = Planner(partial(after, CYCLE))
        self._done: Plan | None = None

    @property
    def settled(self) -> bool:
        """Whether nothing has changed since the last cycle."""
        return self._ran_at == self._board.latest

    def pause(self, now: datetime) -> float | None:
        """Return the seconds until another cycle could decide more; None for never."""
        return None if self._again is None else max(0.0, (self._again - now).total_seconds())

    def due(self, now: datetime) -> bool:
        """Return whether a cycle has to run."""
        return not self.settled or self.pause(now) == 0.0

    def run(self) -> bool:
        """Run a cycle and carry out its decisions; return False if a start could not be stored."""
        self._ran_at = self._board.latest
        decided = self._planner.plan(snapshot_of(self._board, datetime.now(UTC)))
        self._again = decided.again
        if decided is self._done:
            return True
        try:
            for eviction in decided.evictions:
                self._evict(eviction)
            for decision in decided.decisions:
                if isinstance(decision.outcome, Placement):
                    session = fetched(self._board.by_id[decision.session], datetime.now(UTC))
                    self._runner.start(session, decision.outcome)
                else:
                    self._wait(decision.session, decision.outcome, decision.ahead + 1)
        except StorageFailed as error:
            self._store.fail(error)
            self._ran_at = 0  # the cycle runs again later
            return False
        self._done = decided
        return True

    def _evict(self, eviction: Eviction) -> None:
        session = self._board.by_id[eviction.session]
        self._store.save(lifecycle.request_requeue(session, eviction.reclaim, eviction.reason))
        self._supervisor.supervise(self._board.by_id[eviction.session])

    def _wait(self, session_id: str, reason: Reason, place: int) -> None:
        session = self._board.by_id[session_id]
        if (session.reason, session.queue_position) != (reason, place):
            told = fetching(session, reason, datetime.now(UTC))
            self._store.note(msgspec.structs.replace(told, reason=reason, queue_position=place))


def after(seconds: float) -> Callable[[], bool]:
    """Return what returns true once so many seconds have passed."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() >= until


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
