"""Rounds of our own scheduling core, carried out: who starts, who gives back, who waits and why.

It belongs to the worker thread.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from ..core import lifecycle
from ..core.plans import Eviction
from ..core.scheduling import plan
from ..errors import StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
from .board import Board
from .runtime import Runner, SessionStore


class Scheduler:
    """What plays a round whenever something has changed, or when it asked to be played again."""

    def __init__(self, board: Board, store: SessionStore, runner: Runner) -> None:
        self._board = board
        self._store = store
        self._runner = runner
        self._played = 0
        self._again: datetime | None = None

    @property
    def settled(self) -> bool:
        """Whether nothing has changed since the last round."""
        return self._played == self._board.latest

    def pause(self, now: datetime) -> float | None:
        """Return the seconds until another round could decide more; None for never."""
        return None if self._again is None else max(0.0, (self._again - now).total_seconds())

    def due(self, now: datetime) -> bool:
        """Return whether a round has to be played."""
        return not self.settled or self.pause(now) == 0.0

    def play(self) -> bool:
        """Play a round and do what it decides; return false if the disk forbade a start."""
        self._played = self._board.latest
        decided = plan(self._board.situation(datetime.now(UTC)))
        self._again = decided.again
        try:
            for eviction in decided.evictions:
                self._evict(eviction)
            for decision in decided.decisions:
                if isinstance(decision.outcome, Placement):
                    self._runner.start(self._board.by_id[decision.session], decision.outcome)
                else:
                    self._wait(decision.session, decision.outcome, decision.ahead + 1)
        except StorageFailed as error:
            self._store.fail(error)
            self._played = 0  # the round is played again later
            return False
        return True

    def _evict(self, eviction: Eviction) -> None:
        session = self._board.by_id[eviction.session]
        self._store.save(lifecycle.request_requeue(session, eviction.reclaim, eviction.reason))
        self._runner.look(self._board.by_id[eviction.session])

    def _wait(self, session_id: str, reason: Reason, place: int) -> None:
        session = self._board.by_id[session_id]
        if (session.reason, session.place_in_line) != (reason, place):
            self._store.note(msgspec.structs.replace(session, reason=reason, place_in_line=place))
