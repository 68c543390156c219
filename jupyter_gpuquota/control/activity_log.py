"""The record of how sessions were used, which a policy is tried on; it stands in the history.

It belongs to the recorder's thread. What cannot be written is a gap, as in the history.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ..core.idle_week import WEEK, Stretch
from ..core.policy import Subject
from ..errors import StorageFailed
from .history import HistoryKeeper

_log = logging.getLogger(__name__)

_FLUSH = 300
"""Seconds between two writes; what a crash loses is shorter."""
_MISSED = 4
"""Looks after which there is a gap."""
_KEPT = int(WEEK.total_seconds()) + 86_400
_MOST = 500_000
"""Rows that are kept, some 50 MB."""
_PUT = "INSERT OR REPLACE INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_READ = "SELECT * FROM activity WHERE end > ? ORDER BY session, begin"
_OLD = "DELETE FROM activity WHERE end < ?"
_TOO_MANY = """
    DELETE FROM activity
    WHERE end <= (SELECT end FROM activity ORDER BY end DESC LIMIT 1 OFFSET ?)
"""


class ActivityLog:
    """Looks, one in `every` seconds, put together to stretches of the same activity."""

    def __init__(self, history: HistoryKeeper, every: int) -> None:
        self._history = history
        self._gap = _MISSED * every
        self._open: dict[str, Stretch] = {}
        self._closed: list[Stretch] = []
        self._flushed = 0

    def take(self, looks: Iterable[Stretch], now: int) -> None:
        """Take in what a look has found: stretches that end now. Never raises for a disk."""
        before, self._open = self._open, {}
        for look in looks:
            name = look.subject.session
            old = before.get(name)
            if old and 0 <= look.end - old.end <= self._gap:
                look = replace(look, begin=old.begin if old.same(look) else old.end)  # noqa: PLW2901
                if old.begin == look.begin:
                    del before[name]
            self._open[name] = look
        self._closed += before.values()
        if now - self._flushed >= _FLUSH:
            self.flush(now)

    def flush(self, now: int) -> None:
        """Write what was seen, and drop what is too old; never raises for a disk."""
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
        """Return what was recorded since a time. Raises StorageFailed."""
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
            s.milli,
            s.idle,
            s.gpu,
        )


def _stretch(row: tuple[Any, ...]) -> Stretch:
    session, begin, end, owner, project, kind, wish, milli, idle, gpu = row
    subject = Subject(session, owner, project, kind, wish)
    return Stretch(subject, milli, begin, end, bool(idle), gpu)
