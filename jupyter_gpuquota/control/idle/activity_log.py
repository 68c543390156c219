"""The log of sessions' activity, from which a policy is previewed; it is part of the history file.

It runs in the recorder's thread. Records that cannot be written are a gap, as in the history.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...core.idle.policy import Subject
from ...core.idle.replay import WEEK, Stretch
from ...errors import StorageFailed
from ..history.store import HistoryStore

_log = logging.getLogger(__name__)

_FLUSH = 300
"""Seconds between two writes; a crash loses less than that."""
_MISSED = 4
"""Number of missed observations after which there is a gap."""
_KEPT = int(WEEK.total_seconds()) + 86_400
_MOST = 500_000
"""Maximum number of rows, about 50 MB."""
_PUT = "INSERT OR REPLACE INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_READ = "SELECT * FROM activity WHERE end > ? ORDER BY session, begin"
_OLD = "DELETE FROM activity WHERE end < ?"
_TOO_MANY = """
    DELETE FROM activity
    WHERE end <= (SELECT end FROM activity ORDER BY end DESC LIMIT 1 OFFSET ?)
"""


class ActivityLog:
    """Observations, one in `every` seconds, merged into stretches of the same activity."""

    def __init__(self, history: HistoryStore, every: int) -> None:
        self._history = history
        self._gap = _MISSED * every
        self._open: dict[str, Stretch] = {}
        self._closed: list[Stretch] = []
        self._flushed = 0

    def record(self, observations: Iterable[Stretch], now: int) -> None:
        """Record observations, stretches that end now. Errors of the disk are logged."""
        before, self._open = self._open, {}
        for current in observations:
            name = current.subject.session
            old = before.get(name)
            if old and 0 <= current.end - old.end <= self._gap:
                current = replace(current, begin=old.begin if old.same(current) else old.end)  # noqa: PLW2901
                if old.begin == current.begin:
                    del before[name]
            self._open[name] = current
        self._closed += before.values()
        if now - self._flushed >= _FLUSH:
            self.flush(now)

    def flush(self, now: int) -> None:
        """Write unsaved stretches and delete old ones; errors of the disk are logged."""
        if self._closed or self._open:
            try:
                self._write()
                with self._history.opened() as file, file.transaction() as db:
                    db.execute(_OLD, (now - _KEPT,))
                    db.execute(_TOO_MANY, (_MOST,))
            except StorageFailed as error:
                _log.warning("%s", error)
        self._closed.clear()
        self._flushed = now

    def read(self, since: int) -> list[Stretch]:
        """Return the stretches recorded since a time. Raises StorageFailed."""
        self._write()
        with self._history.opened() as file, file.connection() as db:
            return [_stretch(row) for row in db.execute(_READ, (since,))]

    def _write(self) -> None:
        seen = [s for s in (*self._closed, *self._open.values()) if s.end > s.begin]
        with self._history.opened() as file, file.transaction() as db:
            db.executemany(_PUT, _rows(seen))
        self._closed.clear()


def _rows(stretches: Iterable[Stretch]) -> Iterator[tuple[object, ...]]:
    for s in stretches:
        who = s.subject
        yield (
            who.session,
            s.begin,
            s.end,
            who.owner,
            who.project,
            who.kind,
            who.wish,
            who.stops,
            s.idle,
            s.gpu,
        )


def _stretch(row: tuple[Any, ...]) -> Stretch:
    session, begin, end, owner, project, kind, wish, stops, idle, gpu = row
    subject = Subject(session, owner, project, kind, wish, bool(stops))
    return Stretch(subject, begin, end, bool(idle), gpu)
