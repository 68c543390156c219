"""Controllers are killed while they rebuild a lost or damaged state file."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from tests.storms.fleet import Fleet

RUNNING, WAITING, CHANGES = 4, 40, 12
TABLES = ("sessions", "projects", "settings", "audit")
PAGE = 4096


def fill(fleet: Fleet) -> None:
    """Create sessions, settings and an audit log."""
    for number in range(RUNNING):
        fleet.ask("launch", f"exp-{number}")
    fleet.ask("launch", "keeps")
    for number in range(WAITING):
        fleet.ask("launch", f"waits-{number}")
    for number in range(CHANGES):
        fleet.ask("put", f"p{number % 5}")
    fleet.check()


def storm(fleet: Fleet, rounds: int) -> None:
    """Damage the state file, kill rebuilding controllers, and check the result, repeatedly."""
    fill(fleet)
    killed = fleet.counts["while building"] = 0
    while killed < rounds and not fleet.problems:
        fleet.stop()
        damage(fleet)
        for _ in range(min(rounds - killed, fleet.rng.randint(1, 3))):
            (fleet.home / "controller.sock").unlink(missing_ok=True)  # of one that was killed
            fleet.start()
            wait_for_rebuild(fleet)
            fleet.kill()
            fleet.counts["while building"] += any(path.exists() for path in beside(fleet))
            killed += 1
        fleet.check()
        tidy(fleet)


def wait_for_rebuild(fleet: Fleet) -> None:
    """Wait for a moment in a start: any, or one while the file is built."""
    if fleet.rng.random() < 0.3:
        time.sleep(fleet.rng.uniform(0.2, 1.5))
        return
    socket, deadline = fleet.home / "controller.sock", time.monotonic() + 10
    while not any(path.exists() for path in (*beside(fleet), socket)):
        if time.monotonic() > deadline:
            break  # it was built by one that was killed just after that
        time.sleep(0.001)
    time.sleep(fleet.rng.uniform(0, 0.1))


def beside(fleet: Fleet) -> list[Path]:
    """Return what is there while the file is built, or was built and is not in its place yet."""
    return [fleet.home / f"state.db.{name}" for name in ("new", "built")]


def damage(fleet: Fleet) -> None:
    """Do to the state file what disks, crashes and people do."""
    rng, file = fleet.rng, fleet.home / "state.db"
    kind = rng.choice(["removed", "emptied", "cut", "pages", "noise", "table", "row", "wal"])
    if kind == "removed":
        file.unlink()
    elif kind == "emptied":
        file.write_bytes(b"")
    elif kind == "cut":
        with file.open("r+b") as opened:
            opened.truncate(rng.randrange(1, file.stat().st_size))
    elif kind == "pages":
        with file.open("r+b") as opened:
            for _ in range(rng.randint(1, 4)):
                opened.seek(rng.randrange(file.stat().st_size // PAGE) * PAGE)
                opened.write(rng.randbytes(PAGE))
    elif kind == "noise":
        file.write_bytes(rng.randbytes(rng.randrange(1, 100_000)))
    elif kind == "wal":
        file.unlink()
        file.with_name("state.db-wal").write_bytes(rng.randbytes(50_000))
    else:
        spoil(file, kind, rng.choice(TABLES), rng.randbytes(200))


def spoil(file: Path, kind: str, table: str, noise: bytes) -> None:
    """Drop a table, or make a row unreadable."""
    with closing(sqlite3.connect(file)) as database, database:
        if kind == "table":
            database.execute(f"DROP TABLE {table}")
        else:
            # `table` is one of TABLES: nothing comes from outside.
            row = f"(SELECT rowid FROM {table} ORDER BY random() LIMIT 1)"  # noqa: S608 (our own table names)
            change = f"UPDATE {table} SET body = ? WHERE rowid = {row}"  # noqa: S608 (our own table names)
            database.execute(change, (noise,))


def tidy(fleet: Fleet) -> None:
    """Remove what was set aside, as an administrator does who has read the warnings."""
    with suppress(FileNotFoundError):
        shutil.rmtree(fleet.home / "set-aside")
