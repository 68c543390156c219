"""The history of use: a SQLite file of its own, so that losing it never harms a session.

It belongs to the engine's worker thread. What goes wrong with it is a warning and a gap; it is
tried again with the next sample.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from pathlib import Path

from ..core import history
from ..core.history import Bucket, Window
from ..core.quota import sum_up
from ..errors import StorageFailed
from ..model.history import History
from ..model.quota import Project
from ..model.sessions import LIVE
from .board import Board
from .config import LocalConfig
from .folders import writing
from .store import damaged_files

_log = logging.getLogger(__name__)

_VERSION = 1
_TABLE = """
    CREATE TABLE uses (
        step INTEGER NOT NULL,
        at INTEGER NOT NULL,
        project TEXT NOT NULL,
        seconds INTEGER NOT NULL,
        allocated INTEGER NOT NULL,
        borrowed INTEGER NOT NULL,
        asked INTEGER NOT NULL,
        busy INTEGER NOT NULL,
        measured INTEGER NOT NULL,
        peak INTEGER NOT NULL,
        waiting INTEGER NOT NULL,
        PRIMARY KEY (step, at, project)
    ) STRICT, WITHOUT ROWID;
"""
_ADD = """
    INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
        seconds = seconds + excluded.seconds,
        allocated = allocated + excluded.allocated,
        borrowed = borrowed + excluded.borrowed,
        asked = asked + excluded.asked,
        busy = busy + excluded.busy,
        measured = measured + excluded.measured,
        peak = max(peak, excluded.peak),
        waiting = max(waiting, excluded.waiting)
"""
_READ = """
    SELECT at - at % ?, project, sum(seconds), sum(allocated), sum(borrowed), sum(asked),
        sum(busy), sum(measured), max(peak), max(waiting)
    FROM uses WHERE step = ? AND at >= ? AND at < ? AND (? = '' OR project = ?)
    GROUP BY 1, 2
"""
"""As `core.history.coarsen` does, for hundreds of thousands of rows."""
_SAMPLED = "SELECT max(seconds) FROM uses WHERE step = ? AND at = ?"
_DROP = "DELETE FROM uses WHERE at <= (SELECT at FROM uses ORDER BY at LIMIT 1 OFFSET ?)"
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
        buckets = history.sample(
            uses, sessions, nodes, self._board.readings, at=at, seconds=self._interval
        )
        try:
            self._add(buckets, int(now))
            self._trouble = ""
        except StorageFailed as error:
            if not self._trouble:
                _log.error("%s", error)
            self._trouble = f"{error.message} {error.hint}"

    def tell(self, window: Window, now: datetime) -> History:
        """Tell what was sampled in a time. Raises StorageFailed."""
        step = window.step(self._interval, self._tiers, now)
        tier = history.tier_for(step, self._tiers)
        begin, end = int(window.since.timestamp()), window.until.timestamp()
        asked = (step, tier.step, begin - begin % step, end, window.project, window.project)
        with self._opened() as db:
            rows = db.execute(_READ, asked).fetchall()
        found = (Bucket(*row) for row in rows)
        return history.tell(found, window, step, self._board.nodes, note=self._trouble)

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
        rows = [
            (tier.step, *astuple(bucket))
            for tier in self._tiers
            for bucket in history.coarsen(buckets, tier.step)
        ]
        with self._opened() as db, _transaction(db):
            if not self._full(db, buckets[0].at if buckets else 0):
                db.executemany(_ADD, rows)
        if now - self._swept >= _SWEEP_EVERY:
            with self._opened() as db:
                self._sweep(db, now)
            self._swept = now

    def _full(self, db: sqlite3.Connection, at: int) -> bool:
        """Tell whether a time was sampled before: by another controller, or by another clock."""
        step = self._tiers[0].step
        (seconds,) = db.execute(_SAMPLED, (step, at - at % step)).fetchone()
        return (seconds or 0) + self._interval > max(step, self._interval)

    def _sweep(self, db: sqlite3.Connection, now: int) -> None:
        """Drop what is too old, then the oldest while there is too much."""
        with _transaction(db):
            for tier in self._tiers:
                db.execute(
                    "DELETE FROM uses WHERE step = ? AND at < ?", (tier.step, now - tier.age)
                )
            size = (_tell(db, "page_count") - _tell(db, "freelist_count")) * _tell(db, "page_size")
            if size > self._bytes:
                (rows,) = db.execute("SELECT count(*) FROM uses").fetchone()
                excess = rows - int(rows * _ROOM * self._bytes / size)
                db.execute(_DROP, (max(0, excess - 1),))
        db.execute("PRAGMA incremental_vacuum").fetchall()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Lend the file; a broken one is moved aside, and the next use begins a fresh one."""
        try:
            if self._db is None:
                self._db = _open(self._path)
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


def _open(path: Path) -> sqlite3.Connection:
    """Open or make the file. Raises sqlite3's errors, and StorageFailed for a newer version's."""
    with writing(path):
        path.touch(mode=0o600)
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        _prepare(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    version = _tell(db, "user_version")
    if version > _VERSION:
        raise StorageFailed(
            f"{path} was written by a newer version of jupyter_gpuquota.",
            hint="Upgrade, or remove the file: it holds only the history of use.",
        )
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")  # a lost sample is a gap, not a fault
    db.execute("PRAGMA journal_size_limit = 1048576")
    if version < _VERSION:
        with _transaction(db):
            db.execute(_TABLE)
            db.execute(f"PRAGMA user_version = {_VERSION}")


def _tell(db: sqlite3.Connection, pragma: str) -> int:
    (value,) = db.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
