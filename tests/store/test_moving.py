"""Files that programs write while they are stored are of one moment, or refused, or named."""

from __future__ import annotations

import mmap
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from jupyter_gpuquota.errors import Conflict
from jupyter_gpuquota.store import databases, reading
from jupyter_gpuquota.store.catalog import SETTLED, Catalog
from jupyter_gpuquota.store.entries import FILE
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.snapshots import SessionFolder
from jupyter_gpuquota.store.tree import Found
from jupyter_gpuquota.store.upload import Upload
from tests.store.living import fetched, synced
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

DATABASE = """
import os, sqlite3, sys, time
path, mode = sys.argv[1:]
from urllib.parse import quote
address = "file:" + quote(os.fsencode(path))
db = sqlite3.connect(address, timeout=30, isolation_level=None, uri=True)
db.execute(f"PRAGMA journal_mode = {mode}")
db.execute("CREATE TABLE m (id INTEGER PRIMARY KEY, k TEXT, b BLOB)")
db.execute("CREATE INDEX i ON m (k)")
slowest = 0
while True:
    begun = time.monotonic()
    db.execute("BEGIN IMMEDIATE")
    for number in range(100):
        db.execute("INSERT INTO m (k, b) VALUES (?, ?)", (os.urandom(4).hex(), os.urandom(300)))
    db.execute("DELETE FROM m WHERE id IN (SELECT id FROM m ORDER BY random() LIMIT 80)")
    db.execute("COMMIT")
    slowest = max(slowest, time.monotonic() - begun)
    print(slowest, flush=True)
    time.sleep(0.01)
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder of a session, and a room for copies beside it."""
    (tmp_path / "work").mkdir()
    (tmp_path / "room").mkdir()
    (tmp_path / "work" / "small").write_text("small")
    return tmp_path / "work"


async def stored(lake: Objects, work: Path, number: int = 0) -> tuple[SessionFolder, Path]:
    """Store a folder as a snapshot does; return its source, and the restored files."""
    room = work.parent / "room" / f"{number}"
    room.mkdir()
    source = SessionFolder(work, room)
    made = await Upload(lake, Catalog(":memory:"), lambda _: None).run(source)
    return source, await fetched(lake, made.version, work.parent / f"out-{number}")


async def torn(lake: Objects, work: Path) -> tuple[SessionFolder, Path]:
    """The same until something is torn: on a busy machine, whoever writes may sleep meanwhile."""
    for number in range(50):
        source, tree = await stored(lake, work, number)
        if source.torn:
            return source, tree
    return pytest.fail("no copy was torn")


@contextmanager
def program(code: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """Run a program that never ends."""
    command = [sys.executable, "-c", code, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        assert running.stdout.readline(), "it has begun"
        reading_it = threading.Thread(target=lambda: [None for _ in running.stdout or ()])
        reading_it.start()
        try:
            yield running
        finally:
            running.kill()
            reading_it.join()


@contextmanager
def again(work: Callable[[], None]) -> Iterator[None]:
    """Do something again and again, in a thread."""
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            work()

    writer = threading.Thread(target=run)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


def intact(path: Path) -> bool:
    """Return whether a database is whole, and has something."""
    with closing(sqlite3.connect(f"file:{quote(os.fsencode(path))}", uri=True)) as db:
        checked = db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return checked and db.execute("SELECT count(*) FROM m").fetchone()[0] > 0


@pytest.mark.parametrize("mode", ["wal", "delete", "persist", "truncate"])
async def test_a_database_that_is_written_is_whole(lake: Objects, work: Path, mode: str) -> None:
    (work / "runs").mkdir()
    name = os.fsdecode(b"no suffix?%41#\xe9")
    with program(DATABASE, work / "runs" / name, mode):
        for number in range(4):
            source, tree = await stored(lake, work, number)
            if mode == "wal":
                assert not source.torn
            if not source.torn:
                assert intact(tree / "runs" / name)
                assert [each.name for each in (tree / "runs").iterdir()] == [name]


@pytest.mark.parametrize("mode", ["wal", "delete"])
async def test_whoever_writes_a_database_is_not_held_up(work: Path, mode: str) -> None:
    path = work / "large.db"
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
        db.execute("CREATE TABLE m (b BLOB)")
        db.executemany("INSERT INTO m VALUES (?)", ((bytes(1 << 20),) for _ in range(4)))
        if mode == "wal":
            db.execute("BEGIN IMMEDIATE")
            databases.backup(path, work / "copy", patience=0)
            assert intact(work / "copy")
            return
        with pytest.raises(sqlite3.OperationalError, match="too large"):
            databases.backup(path, work / "copy-1", patience=0)
        db.execute("BEGIN EXCLUSIVE")  # what was locked is free again
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            databases.backup(path, work / "copy-2", patience=0)


async def test_a_database_that_cannot_be_copied_is_stored_as_bytes_and_named(
    lake: Objects, work: Path
) -> None:
    path = work / "mlflow.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("CREATE TABLE m (id INTEGER)")
        Path(f"{path}-shm").write_bytes(b"index")
        (work / "no.db").write_bytes(b"SQLite format 3\0" + bytes(1008))
        (work / "no.db-journal").write_bytes(b"1")
        source, tree = await stored(lake, work)
        assert set(source.torn) == {"mlflow.db", "no.db"}
        assert "locked" in source.torn["mlflow.db"]
        for name in ("mlflow.db", "mlflow.db-wal", "no.db", "no.db-journal"):
            assert (tree / name).read_bytes() == (work / name).read_bytes()


async def test_what_a_dead_program_has_left_is_stored_with_its_log(
    lake: Objects, work: Path
) -> None:
    with closing(sqlite3.connect(work / "a.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE m (id INTEGER)")
        db.execute("INSERT INTO m VALUES (7)")
        for name in ("a.db", "a.db-wal"):
            (work / f"left-{name}").write_bytes((work / name).read_bytes())
    source, tree = await stored(lake, work)
    assert not source.torn
    assert intact(tree / "left-a.db")
    assert intact(tree / "a.db")


async def test_a_database_is_not_synced_while_it_is_written(lake: Objects, work: Path) -> None:
    with program(DATABASE, work / "a.db", "wal"), pytest.raises(Conflict, match=r"a\.db"):
        await eventually_synced(lake, work)


async def eventually_synced(lake: Objects, work: Path) -> None:
    """Sync a folder several times: between two writes it may be at rest."""
    for _ in range(50):
        await synced(lake, work)


async def test_a_file_that_is_rewritten_bit_by_bit_is_whole_or_named(
    lake: Objects, work: Path
) -> None:
    parts, pause, numbers = 20, 0.02, iter(range(1, 10**6))
    path = work / "last.ckpt"
    path.write_bytes(bytes(parts * 4096))

    def rewrite() -> None:
        body = bytes([next(numbers) % 256]) * 4096
        with path.open("r+b", buffering=0) as file:
            for _ in range(parts):
                file.write(body)
                time.sleep(pause)
        time.sleep(0.25)

    with again(rewrite):
        for number in range(4):
            source, tree = await stored(lake, work, number)
            whole = len(set((tree / "last.ckpt").read_bytes())) == 1
            assert whole or "last.ckpt" in source.torn


async def test_a_file_that_never_rests_is_named_and_not_synced(lake: Objects, work: Path) -> None:
    path, numbers = work / "never.bin", iter(range(10**9))
    path.write_bytes(bytes(1 << 20))

    def write() -> None:
        number = next(numbers)
        with path.open("r+b", buffering=0) as file:
            file.seek(number * 4096 % (1 << 20))
            file.write(b"%d" % number)
        time.sleep(0.001)

    with again(write):
        source, tree = await torn(lake, work)
        assert set(source.torn) == {"never.bin"}
        assert (tree / "small").read_text() == "small"
        with pytest.raises(Conflict, match=r"never\.bin changes while it is read"):
            await eventually_synced(lake, work)
    source, _ = await stored(lake, work, 99)
    assert not source.torn


async def test_a_log_is_stored_as_it_was_at_one_moment(lake: Objects, work: Path) -> None:
    log = work / "log"
    log.write_bytes(b"a line\n" * 100_000)

    def write() -> None:
        with log.open("ab", buffering=0) as file:
            file.write(b"a line\n")
        time.sleep(0.001)

    with again(write):
        source, tree = await stored(lake, work)
    assert not source.torn, "it only grows"
    assert set((tree / "log").read_bytes().split(b"\n")[:-1]) == {b"a line"}
    assert (tree / "log").stat().st_size >= 700_000


async def test_a_file_that_is_replaced_as_a_whole_is_whole(lake: Objects, work: Path) -> None:
    numbers = iter(range(10**9))
    (work / "best.ckpt").touch()

    def write() -> None:
        (work / "new").write_bytes(bytes([next(numbers) % 256]) * (1 << 20))
        (work / "new").replace(work / "best.ckpt")

    with again(write):
        source, tree = await stored(lake, work)
    assert len(set((tree / "best.ckpt").read_bytes())) == 1 or "best.ckpt" in source.torn


async def test_what_is_written_by_way_of_a_mapping_is_stored(lake: Objects, work: Path) -> None:
    path = work / "map"
    path.write_bytes(bytes(8192))
    catalog = Catalog(":memory:")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        versions = []
        for number in range(3):
            mapped[number] = 65 + number
            before = path.stat()
            await wait_for(lambda: time.time_ns() - path.stat().st_ctime_ns > SETTLED + 10**8)
            versions.append((await synced(lake, work, catalog=catalog)).version)
            mapped[100 + number] = 1  # on a page that was written already
            versions.append((await synced(lake, work, catalog=catalog)).version)
        assert before.st_mtime_ns
    assert len(set(versions)) == 6
    tree = await fetched(lake, versions[-1], work.parent / "out")
    assert (tree / "map").read_bytes() == path.read_bytes()


MAPPING = """
import mmap, sys, time
file = open(sys.argv[1], "r+b")
mapped = mmap.mmap(file.fileno(), 0)
print(1, flush=True)
number = 0
while True:
    number += 1
    mapped[number * 4099 % len(mapped)] = number % 256
    if not number % 1000:
        time.sleep(0.001)
"""


async def test_a_mapping_that_is_written_all_the_time_is_named_and_not_synced(
    lake: Objects, work: Path
) -> None:
    (work / "map").write_bytes(bytes(16 << 20))
    with program(MAPPING, work / "map"):
        source, tree = await torn(lake, work)
        assert set(source.torn) == {"map"}
        assert (tree / "small").read_text() == "small"
        with pytest.raises(Conflict, match="map changes while it is read"):
            await eventually_synced(lake, work)


async def test_a_mapping_is_found_among_those_of_other_processes(tmp_path: Path) -> None:
    path = tmp_path / "map"
    path.write_bytes(bytes(4096))
    code = (
        "import mmap, sys, time; file = open(sys.argv[1], 'r+b');"
        "m = mmap.mmap(file.fileno(), 0); m[0] = 1; print(1, flush=True); time.sleep(1000)"
    )
    with program(code, path):
        assert path.stat().st_ino in set(reading.mapped())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ):
        assert path.stat().st_ino not in set(reading.mapped())


async def test_names_and_texts_that_are_not_utf8_are_named(lake: Objects, work: Path) -> None:
    odd = os.fsdecode(b"caf\xe9")
    (work / odd).write_bytes(b"1")
    source = SessionFolder(work, work.parent / "room")
    gone = Found(odd, FILE)
    assert source.instead(gone, Conflict("It cannot be read.")) is None
    assert source.left_out == {r"caf\xe9": "It cannot be read."}
    with pytest.raises(Conflict, match=r"caf\\xe9 changes"):
        raise reading.changing(work / odd)
