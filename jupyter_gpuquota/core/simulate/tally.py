"""What a scenario costs: waits, preemptions, lost work, and how fairly GPUs were shared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from ...model.resources import MILLI, Node
from ...model.scenarios import Tally
from ...model.sessions import Session
from ..scheduling.capacity import capacity_of
from ..scheduling.holders import held_by

_HOUR = 3600.0


class Tallying:
    """Sums up GPU time while a simulated clock goes on from `begin`."""

    def __init__(self, begin: datetime) -> None:
        self._begin = begin
        self._evictions = 0
        self._available = self._held = self._lost = 0.0
        self._waits: dict[str, float] = {}
        self._started: set[str] = set()
        self._of: dict[str, float] = defaultdict(float)
        self._fair: dict[str, float] = defaultdict(float)

    def pass_time(
        self,
        seconds: float,
        sessions: Iterable[Session],
        nodes: Iterable[Node],
        fair: Mapping[str, int],
    ) -> None:
        """Count time in which nothing changed; fair shares in milli-GPU."""
        hours = seconds / _HOUR / MILLI
        self._available += capacity_of(nodes) * hours
        for name, share in fair.items():
            self._fair[name] += share * hours
        for session in sessions:
            milli = held_by(session)
            self._held += milli * hours
            self._of[session.spec.project] += milli * hours
            if session.state == "waiting":
                self._waits[session.id] = self._waits.get(session.id, 0.0) + seconds

    def note_start(self, session: Session) -> None:
        """Count a session that has started."""
        self._started.add(session.id)
        self._waits.setdefault(session.id, 0.0)

    def note_eviction(self, session: Session, now: datetime) -> None:
        """Count a session that is preempted: its work since its start, or the begin, is lost."""
        began = max(session.started or now, self._begin)
        self._evictions += 1
        self._lost += held_by(session) * (now - began).total_seconds() / _HOUR / MILLI

    def total(self) -> Tally:
        """Return the sums."""
        waits = list(self._waits.values())
        return Tally(
            evictions=self._evictions,
            started=len(self._started),
            mean_wait=round(sum(waits) / len(waits), 1) if waits else 0.0,
            longest_wait=round(max(waits, default=0.0), 1),
            available=round(self._available, 3),
            hours=round(self._held, 3),
            lost=round(self._lost, 3),
            goodput=round((self._held - self._lost) / self._available, 4)
            if self._available
            else 0.0,
            fairness=round(self._jain(), 4),
        )

    def _jain(self) -> float:
        """Return Jain's index of what projects held in proportion to their fair shares."""
        parts = [self._of[name] / share for name, share in self._fair.items() if share > 0]
        squares = sum(part * part for part in parts)
        return sum(parts) ** 2 / (len(parts) * squares) if squares else 1.0
