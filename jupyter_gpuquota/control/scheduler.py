"""Run scheduling cycles of our own core and carry out their decisions.

It runs in the worker thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import msgspec

from ..core import lifecycle
from ..core.datasets.mounts import fetched, fetching
from ..core.scheduling.planner import Planner
from ..core.scheduling.snapshot import Eviction, Plan
from ..errors import StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
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
