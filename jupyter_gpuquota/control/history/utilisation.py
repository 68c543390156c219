"""The GPU utilisation of sessions over time; it is part of the history file.

It runs in the recorder's thread. Measurements that cannot be written are a gap, as in the history.
Nothing is measured of simulated GPUs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence

from ...core.idle.decide import Reading
from ...errors import StorageFailed
from .store import HistoryStore

_log = logging.getLogger(__name__)

KEPT = 90 * 86_400
"""Seconds for which measurements are kept."""
_SWEEP = 3600
_MOST = 500_000
"""Maximum number of rows, about 25 MB."""
_PUT = "INSERT OR REPLACE INTO utilisation VALUES (?, ?, ?)"
_MEAN = "SELECT avg(percent) FROM utilisation WHERE session = ? AND at > ? AND at <= ?"
_SINCE = "SELECT session, percent FROM utilisation WHERE at > ? ORDER BY at"
_OLD = "DELETE FROM utilisation WHERE at < ?"
_TOO_MANY = """
    DELETE FROM utilisation
    WHERE at <= (SELECT at FROM utilisation ORDER BY at DESC LIMIT 1 OFFSET ?)
"""

Span = tuple[int, int]
"""A period, in seconds since 1970."""


def percents(readings: Mapping[str, Sequence[Reading]]) -> dict[str, int]:
    """Return the GPU utilisation of those sessions of which it was measured, in per cent."""
    return {
        session: reading.percent
        for session, found in readings.items()
        for reading in found
        if reading.percent is not None
    }


class UtilisationLog:
    """Measurements of sessions, one in each check of their activity."""

    def __init__(self, history: HistoryStore) -> None:
        self._history = history
        self._swept = 0

    def record(self, found: Mapping[str, int], now: int) -> None:
        """Record measurements; errors of the disk are logged."""
        if not found:
            return
        rows = [(session, now, percent) for session, percent in found.items()]
        try:
            with self._history.opened() as file, file.transaction() as db:
                db.executemany(_PUT, rows)
                if now - self._swept >= _SWEEP:
                    db.execute(_OLD, (now - KEPT,))
                    db.execute(_TOO_MANY, (_MOST,))
                    self._swept = now
        except StorageFailed as error:
            _log.warning("%s", error)

    def since(self, at: int) -> dict[str, tuple[int, ...]]:
        """Return what was measured after a time, as far as it can be read; errors are logged."""
        found: dict[str, list[int]] = {}
        try:
            with self._history.opened() as file, file.connection() as db:
                for session, percent in db.execute(_SINCE, (at,)):
                    found.setdefault(session, []).append(percent)
        except StorageFailed as error:
            _log.warning("%s", error)
        return {session: tuple(percents) for session, percents in found.items()}

    def means(self, session: str, spans: Iterable[Span]) -> list[float | None]:
        """Return the mean of what was measured in each period, None without measurements.

        Raises StorageFailed.
        """
        with self._history.opened() as file, file.connection() as db:
            return [db.execute(_MEAN, (session, *span)).fetchone()[0] for span in spans]
