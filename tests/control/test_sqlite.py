"""A database file: opened, migrated, changed as a whole, and moved aside when it is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from jupyter_gpuquota.control.storage.sqlite import (
    Damaged,
    Database,
    Kind,
    damaged_files,
    move_aside,
)
from jupyter_gpuquota.errors import StorageFailed, VersionMismatch

FIRST = "CREATE TABLE words (word TEXT PRIMARY KEY) STRICT;"
SECOND = "ALTER TABLE words ADD COLUMN count INTEGER NOT NULL DEFAULT 1;"
OLD = Kind("The dictionary", (FIRST,), ("journal_mode = WAL",), checked=True)
NEW = Kind("The dictionary", (FIRST, SECOND), ("journal_mode = WAL",), checked=True)


def test_a_file_is_made_for_the_account_alone_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    database = Database(path, OLD)
    assert database.fresh
    database.change([("INSERT INTO words VALUES (?)", ("one",))])
    database.close()
    assert path.stat().st_mode & 0o077 == 0
    again = Database(path, OLD)
    assert not again.fresh
    assert again.rows("SELECT word FROM words") == [("one",)]
    again.close()


def test_an_older_file_is_brought_up_to_date_with_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    old = Database(path, OLD)
    old.change([("INSERT INTO words VALUES (?)", ("one",))])
    old.close()
    new = Database(path, NEW)
    assert new.rows("SELECT word, count FROM words") == [("one", 1)]
    new.close()
    with pytest.raises(VersionMismatch, match="newer version"):
        Database(path, OLD)


def test_statements_are_done_together_or_not_at_all(tmp_path: Path) -> None:
    database = Database(tmp_path / "words.db", OLD)
    twice = [("INSERT INTO words VALUES (?)", ("one",))] * 2
    with pytest.raises(sqlite3.IntegrityError):  # a fault of ours, not of the file
        database.change(twice)
    assert database.rows("SELECT * FROM words") == []
    database.close()


def test_without_a_path_it_is_in_memory() -> None:
    database = Database(None, OLD)
    assert database.fresh
    database.change([("INSERT INTO words VALUES (?)", ("one",))])
    assert database.rows("SELECT count(*) FROM words") == [(1,)]
    database.close()


def test_a_damaged_file_is_moved_aside_with_what_belongs_to_it(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    path.write_bytes(b"This is not a database." * 100)
    with pytest.raises(Damaged):
        Database(path, OLD)
    (tmp_path / "words.db-wal").write_bytes(b"neither")
    aside = move_aside(path)
    assert damaged_files(path) == [aside]
    assert (tmp_path / f"{aside.name}-wal").exists()
    assert not path.exists()
    Database(path, OLD).close()


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="nowhere"):
        Database(tmp_path / "nowhere" / "words.db", OLD)


@pytest.mark.parametrize("change", ["DROP TABLE words", "ALTER TABLE words DROP COLUMN count"])
def test_a_file_without_a_table_or_a_column_is_damaged(tmp_path: Path, change: str) -> None:
    path = tmp_path / "words.db"
    Database(path, NEW).close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(change)
    with pytest.raises(Damaged, match="its table words is missing, or has no column"):
        Database(path, NEW)
