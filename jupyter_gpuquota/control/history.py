"""The history of use: a SQLite file of its own, so that losing it never harms a session.

It belongs to the engine's worker thread. What goes wrong with it is a warning and a gap; it is
tried again with the next sample.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ..core import history
from ..core.buckets import Bucket
from ..core.history import Recorded, Window
from ..core.quota import sum_up
from ..core.sampling import sample
from ..errors import StorageFailed
from ..local.config import LocalConfig
from ..local.folders import writing
from ..local.store import damaged_files
from ..model.history import History
from ..model.quota import Project
from ..model.sessions import LIVE
from . import history_file as historyfile
from .board import Board

_log = logging.getLogger(__name__)

_SWEEP_EVERY = 3600
_ROOM = 0.9
"""What is left of the bound on size after the oldest had to go."""


class HistoryKeeper:
    """Sample the board from time to time, keep the samples, and tell them."""

    def __init__(self, config: LocalConfig, board: Board) -> None:
        self._path = Path(config.state_dir) / "history.sqlite"
        self._interval = config.history_interval
        self._bytes = config.history_bytes
        self._tiers = history.tiers(config.history_days)
        self._board = board
        self._db: sqlite3.Connection | None = None
        self._slot = 0
        self._swept = 0
        self._trouble = ""

    def due(self, now: float) -> bool:
        """Tell whether to take a sample: one in each interval while something is live or waits."""
        if int(now) // self._interval == self._slot:
            return False
        return any(s.state in LIVE or s.state == "waiting" for s in self._board.sessions)

    def pause(self, now: float) -> float:
        """Tell after how many seconds the next interval begins."""
        return self._interval - now % self._interval + 0.01

    def take(self, projects: Sequence[Project], now: float) -> None:
        """Take a sample; never raises for a disk."""
        self._slot = int(now) // self._interval
        at, sessions = self._slot * self._interval, self._board.sessions
        known = {project.name for project in projects}
        gone = {s.spec.project for s in sessions if s.placement} - known
        asked = [*projects, *(Project(name=name, quota=0) for name in sorted(gone))]
        nodes = self._board.nodes
        uses = sum_up(asked, sessions, nodes, 0).projects
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
        with self.opened() as db:
            return Recorded(
                step,
                tuple(historyfile.steps(db, window, tier, step)),
                tuple(historyfile.sums(db, window, fine, self._interval)),
            )

    def tell(self, found: Recorded, window: Window) -> History:
        """Tell what was read; any thread may, so that rounds need not wait for many users."""
        return history.tell(found, window, self._board.nodes, note=self._trouble)

    def warnings(self) -> tuple[str, ...]:
        """Say what an admin should hear of."""
        damaged = tuple(
            f"The history of use was damaged and moved to {path}; it begins anew. Look at it, "
            "then remove it."
            for path in damaged_files(self._path)
        )
        return (*damaged, self._trouble) if self._trouble else damaged

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _add(self, buckets: Sequence[Bucket], now: int) -> None:
        with self.opened() as db, historyfile.transaction(db):
            if not self._full(db, buckets[0].at if buckets else 0):
                historyfile.add(db, buckets, self._tiers)
        with self.opened() as db:
            if now - self._swept >= _SWEEP_EVERY or historyfile.size(db) > self._bytes:
                self._sweep(db, now)
                self._swept = now

    def _full(self, db: sqlite3.Connection, at: int) -> bool:
        """Tell whether a time was sampled before: by another controller, or by another clock."""
        step = self._tiers[0].step
        seconds = historyfile.sampled(db, step, at)
        return seconds + self._interval > max(step, self._interval)

    def _sweep(self, db: sqlite3.Connection, now: int) -> None:
        """Drop what is too old, then the oldest while there is too much."""
        with historyfile.transaction(db):
            historyfile.drop_older(db, self._tiers, now)
            if historyfile.size(db) > self._bytes:
                historyfile.drop_oldest(db, _ROOM * self._bytes)
        historyfile.shrink(db)

    @contextlib.contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Lend the file; a broken one is moved aside, and the next use begins a fresh one."""
        try:
            if self._db is None:
                self._db = historyfile.connect(self._path)
            yield self._db
        except sqlite3.OperationalError as error:
            self.close()
            raise StorageFailed(
                f"The history of use {self._path} cannot be written or read: {error}.",
                hint="Free some space on its disk, or give the account the right to write there. "
                "Sessions are not affected.",
            ) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a fault of ours, not of the file
                raise
            self.close()
            self._move_aside()
            raise StorageFailed(
                f"The history of use {self._path} is damaged: {error}.",
                hint="It is moved aside and begins anew. Sessions are not affected.",
            ) from error

    def _move_aside(self) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        for old in damaged_files(self._path):  # one is enough to look at
            old.unlink(missing_ok=True)
        with writing(self._path):
            for suffix in ("-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._path.rename(self._path.with_name(f"{self._path.name}.damaged-{stamp}"))
