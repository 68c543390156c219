"""How long sessions have been starting."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from ..state.seen import Overdue
from .tracked import Tracked

_LEAST = 60.0
"""Seconds for a start that a controller has not watched from its beginning."""


class StartClock:
    """Measures starts by a clock that neither jumps nor counts the sleep of a laptop.

    `limit` is the time from a node to ready, in seconds; 0 for none.
    """

    def __init__(self, limit: float, steady: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._steady = steady

    def left(self, tracked: Tracked, now: datetime) -> float | None:
        """Return the seconds that are left to a start; None where nothing limits it."""
        session = tracked.record.session
        if not self._limit or session.state != "starting":
            return None
        steady = self._steady()
        if tracked.starting is None or tracked.starting[0] != session.run:
            before = max(0.0, (now - session.since).total_seconds())
            counted = min(before, max(0.0, self._limit - _LEAST))
            tracked.starting = (session.run, steady - counted)
        return max(0.0, tracked.starting[1] + self._limit - steady)

    def overdue(self, tracked: Tracked, now: datetime) -> Overdue | None:
        """Return the start that takes too long, None if it does not."""
        run = tracked.record.session.run
        return Overdue(run, round(self._limit)) if self.left(tracked, now) == 0 else None
