"""The history of use: a SQLite file of its own, so that losing it never harms a session.

It belongs to the recorder's thread. What goes wrong with it is a warning and a gap; it is tried
again with the next sample.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from ..core import history
from ..core.buckets import Bucket
from ..core.history import Recorded, Window
from ..core.quota import sum_up
from ..core.sampling import sample
from ..errors import StorageFailed, VersionMismatch
from ..model.history import History
from ..model.quota import Project
from ..model.sessions import LIVE
from . import history_file
from .board import Board
from .config import GpuQuota
from .sqlite import Damaged, Database, damaged_files, move_aside

_log = logging.getLogger(__name__)

_SWEEP_EVERY = 3600
_ROOM = 0.9
"""What is left of the bound on size after the oldest had to go."""


class HistoryKeeper:
    """Samples of the board, taken from time to time; in memory where `path` is None."""

    def __init__(self, config: GpuQuota, board: Board, path: Path | None) -> None:
        self._path = path
        self._interval = config.history_interval
        self._bytes = config.history_bytes
        self._tiers = history.tiers(config.history_days)
        self._board = board
        self._database: Database | None = None
        self._slot = 0
        self._swept = 0
        self._trouble = ""

    def due(self, now: float) -> bool:
        """Return whether to take a sample: one in each interval while something lives or waits."""
        if int(now) // self._interval == self._slot:
            return False
        return any(s.state in LIVE or s.state == "waiting" for s in self._board.sessions)

    def pause(self, now: float) -> float:
        """Return after how many seconds the next interval begins."""
        return self._interval - now % self._interval + 0.01

    def take(self, projects: Sequence[Project], now: float) -> None:
        """Take a sample; never raises for a disk."""
        self._slot = int(now) // self._interval
        at, sessions = self._slot * self._interval, self._board.sessions
        known = {project.name for project in projects}
        gone = {s.spec.project for s in sessions if s.placement} - known
        asked = [*projects, *(Project(name=name, quota=0) for name in sorted(gone))]
        nodes = self._board.nodes
        uses = sum_up(asked, sessions, nodes).projects
        buckets = sample(uses, sessions, nodes, self._board.readings, at=at, seconds=self._interval)
        try:
            self._add(buckets, int(now))
            self._trouble = ""
        except StorageFailed as error:
            if not self._trouble:
                _log.error("%s", error)
            self._trouble = f"{error.message} {error.hint}"

    def read(self, window: Window, now: datetime) -> Recorded:
        """Read what was sampled in a time. Raises StorageFailed."""
        step = window.step(self._interval, self._tiers, now)
        tier = history.tier_for(step, self._tiers)
        fine = history.tier_of_sums(window, self._tiers, now)
        with self.opened() as database, database.connection() as db:
            return Recorded(
                step,
                tuple(history_file.steps(db, window, tier, step)),
                tuple(history_file.sums(db, window, fine, self._interval)),
            )

    def tell(self, found: Recorded, window: Window) -> History:
        """Return what was read in the words of the interface; any thread may call it."""
        return history.tell(found, window, self._board.nodes, note=self._trouble)

    def warnings(self) -> tuple[str, ...]:
        """Return what an admin should hear of."""
        damaged = tuple(
            f"The history of use was damaged and moved to {path}; it begins anew. Look at it, "
            "then remove it."
            for path in (damaged_files(self._path) if self._path else ())
        )
        return (*damaged, self._trouble) if self._trouble else damaged

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _add(self, buckets: Sequence[Bucket], now: int) -> None:
        with self.opened() as database:
            with database.transaction() as db:
                if not self._full(db, buckets[0].at if buckets else 0):
                    history_file.add(db, buckets, self._tiers)
            with database.connection() as db:
                size = history_file.size(db)
            if now - self._swept >= _SWEEP_EVERY or size > self._bytes:
                self._sweep(database, now)
                self._swept = now

    def _full(self, db: sqlite3.Connection, at: int) -> bool:
        """Return whether a time was sampled before: by another controller or another clock."""
        step = self._tiers[0].step
        seconds = history_file.sampled(db, step, at)
        return seconds + self._interval > max(step, self._interval)

    def _sweep(self, database: Database, now: int) -> None:
        """Drop what is too old, then the oldest while there is too much."""
        with database.transaction() as db:
            history_file.drop_older(db, self._tiers, now)
            if history_file.size(db) > self._bytes:
                history_file.drop_oldest(db, _ROOM * self._bytes)
        with database.connection() as db:
            history_file.shrink(db)

    @contextlib.contextmanager
    def opened(self) -> Iterator[Database]:
        """Lend the file; a broken one is moved aside, and the next use begins a fresh one.

        Raises StorageFailed.
        """
        try:
            if self._database is None:
                self._database = Database(self._path, history_file.KIND)
            yield self._database
        except StorageFailed:
            self.close()
            raise
        except VersionMismatch as error:
            hint = "Upgrade, or remove the file: it holds only the history of use."
            raise StorageFailed(error.message, hint=hint) from error
        except Damaged as error:
            self.close()
            raise self._moved_aside(error) from error

    def _moved_aside(self, error: Damaged) -> StorageFailed:
        if self._path:
            for old in damaged_files(self._path):  # one is enough to look at
                old.unlink(missing_ok=True)
            move_aside(self._path)
        return StorageFailed(
            f"The history of use {self._path} is damaged: {error}.",
            hint="It was moved aside and begins anew. Sessions are not affected.",
        )
