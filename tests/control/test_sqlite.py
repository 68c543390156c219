"""A database file: opened, migrated, changed as a whole, and moved aside when it is damaged."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_gpuquota.control.storage.files import writing
from jupyter_gpuquota.control.storage.sqlite import (
    Damaged,
    Database,
    Kind,
    damaged_files,
    move_aside,
)
from jupyter_gpuquota.control.storage.state_folder import unusable
from jupyter_gpuquota.errors import StorageFailed, VersionMismatch
from jupyter_gpuquota.store.disk.cures import FULL, cure
from jupyter_gpuquota.store.disk.failures import failure, system_error

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


def without_locks(error: str, program: str, *args: Path) -> str:
    """What a program prints where no file can be locked."""
    words = [sys.executable, "-m", "tests.no_locks", error, "-c", program, *map(str, args)]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.parametrize("error", ["ENOLCK", "EOPNOTSUPP"])
def test_a_file_system_without_locks_is_told_from_a_full_disk(tmp_path: Path, error: str) -> None:
    program = """
import sys
from pathlib import Path
from jupyter_gpuquota.control.history.file import KIND
from jupyter_gpuquota.control.storage.sqlite import Database
try:
    Database(Path(sys.argv[1]), KIND)
except Exception as error:
    print(type(error).__name__, error)
"""
    said = without_locks(error, program, tmp_path / "history.sqlite")
    assert said.startswith("StorageFailed The usage history ")
    assert os.strerror(getattr(errno, error)) in said
    assert "Its file system has no locks" in said
    assert "Free" not in said


def test_what_may_be_lost_is_not_kept_where_files_cannot_be_locked(tmp_path: Path) -> None:
    program = """
import os, sys
os.environ["XDG_CACHE_HOME"] = sys.argv[1]
from contextlib import closing
from jupyter_gpuquota.jobs.lakes import catalog
from jupyter_gpuquota.model.datasets.datasets import Lake
with closing(catalog(Lake(name="a", url="file:///a"))) as there, there.batch():
    print("used")
"""
    assert without_locks("ENOLCK", program, tmp_path) == "used\n"
    assert list(tmp_path.rglob("*.sqlite")) == []


def test_a_file_that_another_process_uses_is_said(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailed, match="another process has locked it") as caught:
            Database(path, OLD)
    assert "fuser" in caught.value.hint


def test_a_file_that_may_not_be_written_is_a_matter_of_rights(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    Database(path, OLD).close()
    with (
        contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db,
        pytest.raises(sqlite3.OperationalError) as caught,
    ):
        db.execute("CREATE TABLE more (a)")
    known = system_error(caught.value, path)
    assert known is not None
    assert cure(known) == "Give this account the right to write there"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "Free space"),
        (errno.EDQUOT, "Free space"),
        (errno.EROFS, "Mount its file system for writing"),
        (errno.EACCES, "right to write"),
        (errno.ENOLCK, "no locks"),
        (errno.EIO, "Check its disk or mount"),
        (errno.ESTALE, "Check its disk or mount"),
    ],
)
def test_each_refusal_of_the_system_has_its_cure(tmp_path: Path, number: int, words: str) -> None:
    with pytest.raises(StorageFailed) as caught, writing(tmp_path / "x"):
        raise OSError(number, os.strerror(number))
    assert words in caught.value.hint
    assert words in unusable(tmp_path, OSError(number, "so")).hint
    assert number in FULL or words in failure(tmp_path, OSError(number, "so")).hint
