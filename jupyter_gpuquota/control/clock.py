"""The clock of the idle policy: the machine's, or a faster one for trying a policy."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """A clock that, once created, runs `rate` times as fast as the machine's clock.

    It starts `ahead` of the machine's and may be changed at any time, like any clock. Times that
    are compared must all be of this clock.
    """

    def __init__(self, rate: float = 1.0, ahead: timedelta = timedelta()) -> None:
        self.ahead = ahead
        self._rate = rate
        self._begin = time.time()

    def now(self) -> datetime:
        """Return the time."""
        return self._time_of(time.time())

    def at(self, moment: datetime) -> datetime:
        """Convert a time of the machine's clock to this clock."""
        return self._time_of(moment.timestamp())

    def real(self, span: timedelta) -> float:
        """Convert seconds of this clock to seconds of the machine's clock."""
        return span.total_seconds() / self._rate

    def _time_of(self, moment: float) -> datetime:
        moved = self._begin + (moment - self._begin) * self._rate
        return datetime.fromtimestamp(moved, UTC) + self.ahead
