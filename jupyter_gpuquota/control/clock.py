"""The clock that idleness goes by: the machine's, or another one, to try a policy with."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """A clock that runs `rate` times as fast as the machine's clock from the moment it is made.

    It is `ahead` of the machine's, and may be set anew at any time, as that may be. Everything that
    is compared with its time has to be in its time.
    """

    def __init__(self, rate: float = 1.0, ahead: timedelta = timedelta()) -> None:
        self.ahead = ahead
        self._rate = rate
        self._begin = time.time()

    def now(self) -> datetime:
        """Return the time."""
        return self._told(time.time())

    def at(self, moment: datetime) -> datetime:
        """Return what this clock showed at a moment of the machine's clock."""
        return self._told(moment.timestamp())

    def real(self, span: timedelta) -> float:
        """Return how many seconds of the machine's clock a span of this one takes."""
        return span.total_seconds() / self._rate

    def _told(self, moment: float) -> datetime:
        told = self._begin + (moment - self._begin) * self._rate
        return datetime.fromtimestamp(told, UTC) + self.ahead
