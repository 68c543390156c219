"""The usage history: a SQLite file of its own, so that losing it never harms a session.

It runs in the recorder's thread. A sample that cannot be written causes a warning; writing is
retried until it succeeds or the next sample replaces it, which leaves a gap.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from ...core.usage import history
from ...core.usage.buckets import Bucket
from ...core.usage.history import Recorded, Window
from ...core.usage.quota import sum_up
from ...core.usage.sampling import sample
from ...errors import StorageFailed, VersionMismatch
from ...model.history import History
from ...model.quota import Project
from ...model.sessions import LIVE
from ..board import Board
from ..config import GpuQuota
from ..storage.sqlite import Damaged, Database, damaged_files, move_aside
from . import file

_log = logging.getLogger(__name__)

_SWEEP_EVERY = 3600
_ROOM = 0.9
"""Fraction of the maximum size that is left after deleting the oldest samples."""


class HistoryStore:
    """Periodic samples of the board; in memory where `path` is None."""

    def __init__(self, config: GpuQuota, board: Board, path: Path | None) -> None:
        self._path = path
        self._interval = config.history_interval
        self._bytes = config.history_bytes
        self._tiers = history.tiers(config.history_days)
        self._board = board
        self._database: Database | None = None
        self._slot = 0
        self._swept = 0
        self._unsaved: Sequence[Bucket] = ()
        """The newest sample, while it could not be written."""
        self._trouble = ""

    def due(self, now: float) -> bool:
        """Return whether a sample is due: one per interval while a session is live or queued."""
        if int(now) // self._interval == self._slot:
            return False
        return any(s.state in LIVE or s.state == "waiting" for s in self._board.sessions)

    def pause(self, now: float) -> float:
        """Return the seconds until the next interval begins."""
        return self._interval - now % self._interval + 0.01

    def take_sample(self, projects: Sequence[Project], now: float) -> None:
        """Take a sample; errors of the disk become a warning."""
        self._slot = int(now) // self._interval
        at, sessions = self._slot * self._interval, self._board.sessions
        known = {project.name for project in projects}
        gone = {s.spec.project for s in sessions if s.placement} - known
        asked = [*projects, *(Project(name=name, quota=0) for name in sorted(gone))]
        nodes = self._board.nodes
        uses = sum_up(asked, sessions, nodes).projects
        self._save(
            sample(uses, sessions, nodes, self._board.readings, at=at, seconds=self._interval), now
        )

    def retry(self, now: float) -> None:
        """Write the newest sample again if that failed; errors of the disk become a warning.

        Without this, the warning would outlive its cause once no session is live or queued.
        """
        if self._trouble:
            self._save(self._unsaved, now)

    def read(self, window: Window, now: datetime) -> Recorded:
        """Read the samples of a period. Raises StorageFailed."""
        step = window.step(self._interval, self._tiers, now)
        tier = history.tier_for(step, self._tiers)
        fine = history.tier_of_sums(window, self._tiers, now)
        with self.opened() as database, database.connection() as db:
            return Recorded(
                step,
                tuple(file.steps(db, window, tier, step)),
                tuple(file.sums(db, window, fine, self._interval)),
            )

    def to_history(self, found: Recorded, window: Window) -> History:
        """Convert samples to the model; any thread may call it."""
        return history.summarize(found, window, self._board.nodes, note=self._trouble)

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins."""
        damaged = tuple(
            f"The usage history was damaged; it was moved to {path} and restarted empty. Remove "
            "the file when you no longer need it."
            for path in (damaged_files(self._path) if self._path else ())
        )
        return (*damaged, self._trouble) if self._trouble else damaged

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _save(self, buckets: Sequence[Bucket], now: float) -> None:
        """Write a sample; if that fails, keep it and the error for another try."""
        self._unsaved = buckets
        try:
            self._add(buckets, int(now))
        except StorageFailed as error:
            if not self._trouble:
                _log.error("%s", error)
            self._trouble = f"{error.message} {error.hint}"
        else:
            self._unsaved, self._trouble = (), ""

    def _add(self, buckets: Sequence[Bucket], now: int) -> None:
        with self.opened() as database:
            with database.transaction() as db:
                if not self._full(db, buckets[0].at if buckets else 0):
                    file.add(db, buckets, self._tiers)
            with database.connection() as db:
                size = file.size(db)
            if now - self._swept >= _SWEEP_EVERY or size > self._bytes:
                self._sweep(database, now)
                self._swept = now

    def _full(self, db: sqlite3.Connection, at: int) -> bool:
        """Return whether a time was sampled before, by another controller or with another clock."""
        step = self._tiers[0].step
        seconds = file.sampled(db, step, at)
        return seconds + self._interval > max(step, self._interval)

    def _sweep(self, database: Database, now: int) -> None:
        """Delete samples beyond the age limit, then the oldest ones beyond the size limit."""
        with database.transaction() as db:
            file.drop_older(db, self._tiers, now)
            if file.size(db) > self._bytes:
                file.drop_oldest(db, _ROOM * self._bytes)
        with database.connection() as db:
            file.shrink(db)

    @contextlib.contextmanager
    def opened(self) -> Iterator[Database]:
        """Open the file; a damaged one is moved aside, and the next use creates a new one.

        Raises StorageFailed.
        """
        try:
            if self._database is None:
                self._database = Database(self._path, file.KIND)
            yield self._database
        except StorageFailed:
            self.close()
            raise
        except VersionMismatch as error:
            hint = "Upgrade, or remove the file: it contains only the usage history."
            raise StorageFailed(error.message, hint=hint) from error
        except Damaged as error:
            self.close()
            raise self._moved_aside(error) from error

    def _moved_aside(self, error: Damaged) -> StorageFailed:
        if self._path:
            for old in damaged_files(self._path):  # the newest is enough for diagnosis
                old.unlink(missing_ok=True)
            move_aside(self._path)
        return StorageFailed(
            f"The usage history {self._path} is damaged: {error}.",
            hint="It was moved aside and restarted empty. Sessions are not affected.",
        )
