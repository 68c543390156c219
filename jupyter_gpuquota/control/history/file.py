"""The file of the history: its tables and queries.

Every function may raise sqlite3's errors, which `sqlite.Database` translates.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any

from ...core.usage.buckets import Bucket, coarsen
from ...core.usage.history import Tier, Window
from ..storage.sqlite import Kind

_USES = """
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
_BY_USER = """
    ALTER TABLE uses RENAME TO old_uses;
    CREATE TABLE uses (
        step INTEGER NOT NULL,
        at INTEGER NOT NULL,
        project TEXT NOT NULL,
        user TEXT NOT NULL,
        seconds INTEGER NOT NULL,
        allocated INTEGER NOT NULL,
        borrowed INTEGER NOT NULL,
        asked INTEGER NOT NULL,
        busy INTEGER NOT NULL,
        measured INTEGER NOT NULL,
        peak INTEGER NOT NULL,
        waiting INTEGER NOT NULL,
        PRIMARY KEY (step, at, project, user)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO uses SELECT step, at, project, '', seconds, allocated, borrowed, asked, busy,
        measured, peak, waiting FROM old_uses;
    DROP TABLE old_uses;
"""
"""An empty user is the project as a whole."""
_ACTIVITY = """
    CREATE TABLE activity (
        session TEXT NOT NULL,
        begin INTEGER NOT NULL,
        end INTEGER NOT NULL,
        owner TEXT NOT NULL,
        project TEXT NOT NULL,
        kind TEXT NOT NULL,
        wish INTEGER,
        stops INTEGER NOT NULL,
        idle INTEGER NOT NULL,
        gpu TEXT NOT NULL,
        PRIMARY KEY (session, begin)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX activity_ends ON activity (end);
"""
"""The activity of sessions; `activity_log` reads and writes it."""
_UTILISATION = """
    CREATE TABLE utilisation (
        session TEXT NOT NULL,
        at INTEGER NOT NULL,
        percent INTEGER NOT NULL,
        PRIMARY KEY (session, at)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX utilisation_times ON utilisation (at);
"""
"""The GPU utilisation of sessions; `utilisation` reads and writes it."""
KIND = Kind(
    name="The usage history",
    migrations=(_USES, _BY_USER, _ACTIVITY, _UTILISATION),
    pragmas=(
        "auto_vacuum = INCREMENTAL",
        "journal_mode = WAL",
        "synchronous = NORMAL",  # a lost sample is a gap, not a fault
        "journal_size_limit = 1048576",
        "wal_autocheckpoint = 256",  # pages: the same
    ),
    end="Sessions are not affected.",
)
_ADD = """
    INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
_SUMS = """
    sum(seconds), sum(allocated), sum(borrowed), sum(asked), sum(busy), sum(measured),
        max(peak), max(waiting)
    FROM uses WHERE step = :tier AND at >= :begin AND at < :end
        AND (:project = '' OR project = :project)
        AND (user = '' OR :users AND (:user = '' OR user = :user))
"""
_STEPS = f"SELECT at - at % :step AS since, project, user, {_SUMS} GROUP BY since, project, user"
_TOTAL = f"SELECT min(at), project, user, {_SUMS} GROUP BY project, user"
"""Both as `core.usage.buckets.coarsen` does, for hundreds of thousands of rows."""
_SAMPLED = "SELECT max(seconds) FROM uses WHERE step = ? AND at = ?"
_DROP = "DELETE FROM uses WHERE at <= (SELECT at FROM uses ORDER BY at LIMIT 1 OFFSET ?)"


def add(db: sqlite3.Connection, buckets: Sequence[Bucket], tiers: Iterable[Tier]) -> None:
    """Add samples to every tier."""
    rows = [(t.step, *astuple(bucket)) for t in tiers for bucket in coarsen(buckets, t.step)]
    db.executemany(_ADD, rows)


def sampled(db: sqlite3.Connection, step: int, at: int) -> int:
    """Return how many seconds were sampled of the step that contains a time."""
    (seconds,) = db.execute(_SAMPLED, (step, at - at % step)).fetchone()
    return seconds or 0


def steps(db: sqlite3.Connection, asked: Window, tier: Tier, step: int) -> Iterator[Bucket]:
    """Iterate over the samples of a period, aggregated to steps."""
    begin = int(asked.since.timestamp())
    values = _values(asked, tier, begin - begin % step, users=asked.by == "user")
    return (Bucket(*row) for row in db.execute(_STEPS, {**values, "step": step}))


def sums(db: sqlite3.Connection, asked: Window, tier: Tier, interval: int) -> Iterator[Bucket]:
    """Iterate over the totals of a period."""
    begin = int(asked.since.timestamp())
    values = _values(asked, tier, begin - begin % max(tier.step, interval), users=True)
    return (Bucket(*row) for row in db.execute(_TOTAL, values))


def _values(asked: Window, tier: Tier, begin: int, *, users: bool) -> dict[str, Any]:
    return {
        "tier": tier.step,
        "begin": begin,
        "end": asked.until.timestamp(),
        "project": asked.project,
        "user": asked.user,
        "users": users,
    }


def drop_older(db: sqlite3.Connection, tiers: Iterable[Tier], now: int) -> None:
    """Delete samples beyond the age limit."""
    for tier in tiers:
        db.execute("DELETE FROM uses WHERE step = ? AND at < ?", (tier.step, now - tier.age))


def drop_oldest(db: sqlite3.Connection, most: float) -> None:
    """Delete the oldest samples until about so many bytes are left."""
    (rows,) = db.execute("SELECT count(*) FROM uses").fetchone()
    excess = rows - int(rows * most / size(db))
    db.execute(_DROP, (max(0, excess - 1),))


def size(db: sqlite3.Connection) -> int:
    """Return the used size in bytes."""
    return (_tell(db, "page_count") - _tell(db, "freelist_count")) * _tell(db, "page_size")


def shrink(db: sqlite3.Connection) -> None:
    """Return free pages to the file system."""
    db.execute("PRAGMA incremental_vacuum").fetchall()


def _tell(db: sqlite3.Connection, pragma: str) -> int:
    (value,) = db.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)
