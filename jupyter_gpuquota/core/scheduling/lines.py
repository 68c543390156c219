"""The queue of one project while devices are allocated: in order, and by what sessions cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from ...model.sessions import Session

Priced = tuple[Session, int]
"""A session with its cost in milli-GPU."""


class Line:
    """The queued sessions of a project that were not tried yet, the next one first."""

    def __init__(self, sessions: Sequence[Priced]) -> None:
        self._order = deque(enumerate(session for session, _ in sessions))
        self._by_cost: dict[int, deque[tuple[int, Session]]] = {}
        for place, (session, cost) in enumerate(sessions):
            self._by_cost.setdefault(cost, deque()).append((place, session))
        self._tried: set[int] = set()

    def next(self, most: int | None = None) -> Session | None:
        """Return the first session, or the first that costs at most so much; None if none does."""
        found = self._front(self._order) if most is None else self._find(most)
        return found[1] if found else None

    def pop(self, most: int | None = None) -> Session:
        """Remove what `next` returns. Raises IndexError if that is None."""
        found = self._front(self._order) if most is None else self._find(most)
        if found is None:
            raise IndexError
        self._tried.add(found[0])
        return found[1]

    def _find(self, most: int) -> tuple[int, Session] | None:
        fronts = (self._front(same) for cost, same in self._by_cost.items() if cost <= most)
        return min((front for front in fronts if front), key=lambda f: f[0], default=None)

    def _front(self, queue: deque[tuple[int, Session]]) -> tuple[int, Session] | None:
        while queue and queue[0][0] in self._tried:
            queue.popleft()
        return queue[0] if queue else None
