"""Use of sessions by programs and terminals that were started from outside of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime


class Outside:
    """A record of which sessions run such programs now, and when each was last used so."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._last: dict[str, datetime] = {}

    @contextmanager
    def program(self, session_id: str) -> Iterator[None]:
        """Count a program of a session that runs within the block."""
        self._running[session_id] += 1
        try:
            yield
        finally:
            self._running[session_id] -= 1
            self.note(session_id)

    def note(self, session_id: str) -> None:
        """Record that a terminal of a session shows something now."""
        self._last[session_id] = datetime.now(UTC)

    def runs(self, session_id: str) -> bool:
        """Return whether somebody waits for a program of a session."""
        return self._running[session_id] > 0

    def last(self, session_id: str) -> datetime | None:
        """Return when a session was last used in this way, None if never."""
        return self._last.get(session_id)

    def keep_only(self, sessions: Iterable[str]) -> None:
        """Forget all other sessions, unless a program of theirs runs."""
        kept = {*sessions, *(+self._running)}
        self._last = {key: at for key, at in self._last.items() if key in kept}
        self._running = +self._running
