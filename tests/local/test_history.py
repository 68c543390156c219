"""The usage history is in a file of its own, whose loss harms nothing else."""

from __future__ import annotations

import gzip
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.history.store import HistoryStore
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.core.usage.history import DAY, window_of
from jupyter_gpuquota.errors import StorageFailed
from jupyter_gpuquota.model.history import History, HistoryQuery
from jupyter_gpuquota.model.nodes import Reading
from tests.builders import make_node, make_placement, make_project, make_session, make_slice
from tests.contract.backend_contract import launch, until
from tests.local.conftest import wait_for

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
START = NOON.timestamp()
TEAMS = (make_project("team-a", "1"), make_project("team-b", "2"))


@pytest.fixture
def board() -> Board:
    """Show a session on two GPUs, one of them borrowed, and one that waits."""
    shown = Board()
    nodes = (make_node("n1", 4, simulated=False),)
    uuids = [device.uuid for device in nodes[0].devices]
    readings = {uuids[0]: Reading(utilisation=60), uuids[1]: Reading(utilisation=20)}
    shown.show_inventory(Inventory(nodes, readings), nodes)
    placed = make_placement(make_slice(0), make_slice(1))
    running = make_session("x", "2", "running", placement=placed, kind="train")
    shown.show(running, make_session("y", "0.5"))
    return shown


def keeper(tmp_path: Path, board: Board, **settings: Any) -> HistoryStore:
    return HistoryStore(GpuQuota(**settings), board, tmp_path / "history.sqlite")


def ask(kept: HistoryStore, now: float, **query: Any) -> History:
    at = datetime.fromtimestamp(now, UTC)
    asked = window_of(HistoryQuery(**{"until": at, **query}), at)
    return kept.to_history(kept.read(asked, at), asked)


def test_a_sample_is_told_as_it_was_even_after_a_restart(tmp_path: Path, board: Board) -> None:
    kept = keeper(tmp_path, board)
    kept.take_sample(TEAMS, START + 5)
    kept.close()
    again = keeper(tmp_path, board)
    again.take_sample(TEAMS, START + 20)  # the same half minute is not counted twice
    told = ask(again, START + 60, hours=1)
    mine, other = told.points
    assert (mine.project, mine.at, mine.seconds, told.step) == ("team-a", NOON, 30, 30)
    assert (mine.allocated, mine.in_quota, mine.borrowed, mine.peak) == (2000, 1000, 1000, 2000)
    assert (mine.requested, mine.waiting, mine.utilisation) == (500, 1, 40)
    assert (other.project, other.allocated, other.utilisation) == ("team-b", 0, None)
    assert [p.project for p in ask(again, START + 60, project="team-b").points] == ["team-b"]
    again.close()


def test_samples_are_due_once_an_interval_and_only_while_there_is_something(
    tmp_path: Path, board: Board
) -> None:
    kept = keeper(tmp_path, board)
    assert kept.due(START + 1)
    kept.take_sample(TEAMS, START + 1)
    assert not kept.due(START + 29)
    assert kept.due(START + 30)
    assert kept.pause(START + 29) == pytest.approx(1.01)
    assert not keeper(tmp_path, Board()).due(START)
    kept.close()


def test_a_gap_stays_a_gap_and_older_time_is_told_more_coarsely(
    tmp_path: Path, board: Board
) -> None:
    kept = keeper(tmp_path, board)
    times = [START, START + 30, START + 90, START + 4 * 3600]
    for at in times:
        kept.take_sample(TEAMS, at)
    told = ask(kept, START + 4 * 3600 + 30, hours=5, project="team-a", points=2000)
    assert [p.at.timestamp() for p in told.points] == times
    later = START + 3 * DAY
    told = ask(kept, later, hours=96, project="team-a", points=2000)
    assert (told.step, [p.seconds for p in told.points]) == (300, [90, 30])
    assert [p.allocated for p in told.points] == [2000, 2000]
    assert "nothing was running or queued" in told.note
    kept.close()


def test_the_file_puts_buckets_together_as_the_core_does(tmp_path: Path, board: Board) -> None:
    kept = keeper(tmp_path, board)
    for at in range(0, 7200, 30):
        kept.take_sample(TEAMS, START + at)
    later = START + 7200
    fine = ask(kept, later, hours=2, points=2000)
    for points, step in ((30, 300), (9, 1800), (3, 3600)):
        told = ask(kept, later, hours=2, points=points)
        assert told.step == step
        assert sum(p.seconds for p in told.points) == sum(p.seconds for p in fine.points)
        assert {p.allocated for p in told.points} == {p.allocated for p in fine.points}
        assert [p.at for p in told.points] == sorted(p.at for p in told.points)
    kept.close()


def test_what_is_too_old_is_dropped_tier_by_tier(tmp_path: Path, board: Board) -> None:
    kept = keeper(tmp_path, board, history_days=30)
    kept.take_sample(TEAMS, START)
    for days, tiers in ((2, {300, 3600}), (8, {3600}), (31, set())):
        kept.take_sample(TEAMS, START + days * DAY)
        kept.close()
        with sqlite3.connect(tmp_path / "history.sqlite") as db:
            rows = db.execute("SELECT step FROM uses WHERE at <= ?", (START,)).fetchall()
        assert {step for (step,) in rows} == tiers
        db.close()


def test_the_file_is_bounded(tmp_path: Path, board: Board) -> None:
    bound = 256 * 1024
    kept = keeper(tmp_path, board, history_bytes=bound, history_interval=3600)
    teams = [make_project(f"team-{i}", "1") for i in range(40)]
    for hour in range(400):
        kept.take_sample(teams, START + hour * 3600)
    told = ask(kept, START + 400 * 3600, hours=401, points=2000, project="team-1")
    kept.close()
    assert (tmp_path / "history.sqlite").stat().st_size <= bound * 1.1
    assert 0 < len(told.points) < 400
    assert told.points[-1].at == NOON + timedelta(hours=399)  # the oldest went


def crowd(users: int, sessions: int) -> Board:
    """Show sessions of many users of two projects; every fifth waits."""
    shown = Board()
    nodes = tuple(make_node(f"n{i}", 16) for i in range(sessions // 16 + 1))
    shown.show_inventory(Inventory(nodes, {}), nodes)
    for i in range(sessions):
        held = make_placement(make_slice(i % 16), node=f"n{i // 16}") if i % 5 else None
        session = make_session(
            f"s{i}",
            "1",
            "running" if held else "waiting",
            placement=held,
            owner=f"user-{i % users}",
            project=f"team-{'ab'[i % 2]}",
            kind="train",
        )
        shown.show(session)
    return shown


def test_the_file_stays_within_its_bound_with_many_users_at_any_time(tmp_path: Path) -> None:
    bound = 256 * 1024
    kept = keeper(tmp_path, crowd(50, 200), history_bytes=bound)
    file, log = tmp_path / "history.sqlite", tmp_path / "history.sqlite-wal"
    largest = 0
    for i in range(300):  # more than fits, before the hour of the next sweep
        kept.take_sample(TEAMS, START + 30 * i)
        largest = max(largest, file.stat().st_size)
    assert kept.warnings() == ()
    told = ask(kept, START + 30 * 300, hours=3, points=2000, by="user")
    assert len({p.user for p in told.points}) == 50
    assert told.points[-1].at.timestamp() == START + 30 * 299
    assert log.stat().st_size < 2 * 1024 * 1024
    kept.close()
    assert max(largest, file.stat().st_size) <= bound * 1.1


def test_users_add_up_to_their_project_over_time(tmp_path: Path) -> None:
    kept = keeper(tmp_path, crowd(50, 200))
    for i in range(20):
        kept.take_sample(TEAMS, START + 30 * i)
    projects = ask(kept, START + 600, hours=1, points=2000)
    users = ask(kept, START + 600, hours=1, points=2000, by="user")
    for point in projects.points:
        own = [p for p in users.points if (p.at, p.project) == (point.at, point.project)]
        assert sum(p.allocated for p in own) == point.allocated > 0
        assert sum(p.borrowed for p in own) == point.borrowed > 0
        assert sum(p.requested for p in own) == point.requested > 0
    assert {p.user for p in projects.points} == {""}
    assert users.users == projects.users
    held = sum(u.allocated for u in users.users)
    assert held == pytest.approx(160 * 1000 / 6, abs=25)  # 160 GPUs for ten minutes
    assert all(u.user for u in users.users)
    (one,) = ask(kept, START + 600, hours=1, user="user-1").users
    assert one.project == "team-b"
    kept.close()


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a file that the version before users wrote: ten minutes of two teams."""
    file = tmp_path / "history.sqlite"
    file.write_bytes(
        gzip.decompress(Path(__file__, "../history-v1.sqlite.gz").resolve().read_bytes())
    )
    return file


def test_a_file_from_before_users_is_brought_up_to_date(old: Path, board: Board) -> None:
    with sqlite3.connect(old) as db:
        before = db.execute("SELECT * FROM uses ORDER BY step, at, project").fetchall()
    db.close()
    kept = keeper(old.parent, board)
    told = ask(kept, START + 600, hours=1)
    assert len(told.points) == 40
    assert {(p.project, p.user, p.allocated, p.peak) for p in told.points} == {
        ("team-a", "", 2000, 2000),
        ("team-b", "", 0, 0),
    }
    (nameless,) = told.users
    assert (nameless.user, nameless.allocated, nameless.utilisation) == ("", 333, 40)
    by_user = ask(kept, START + 600, hours=1, by="user")
    assert by_user.points == ()
    assert "recorded without users" in by_user.note
    kept.take_sample(TEAMS, START + 600)
    (point,) = ask(kept, START + 630, hours=1, points=2000, by="user").points
    assert (point.user, point.allocated) == ("me", 2000)
    kept.close()
    with sqlite3.connect(old) as db:
        after = db.execute("SELECT * FROM uses WHERE at < ? ORDER BY 1, 2, 3", (START + 600,))
        names = [column for column, *_ in after.description]
        rows = [
            tuple(value for name, value in zip(names, row, strict=True) if name != "user")
            for row in after
            if row[names.index("user")] == "" and row[0] == 30
        ]
        assert rows == [row for row in before if row[0] == 30]
        assert db.execute("PRAGMA user_version").fetchone() == (4,)
    db.close()


_DIES = """
import os, signal, sqlite3, sys
from functools import partial
from pathlib import Path
from jupyter_gpuquota.control.history.file import KIND
from jupyter_gpuquota.control.storage.sqlite import Database
class Dying(sqlite3.Connection):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.set_trace_callback(self.die)
    def die(self, statement):
        if sys.argv[2] in statement:
            os.kill(os.getpid(), signal.SIGKILL)
sqlite3.connect = partial(sqlite3.connect, factory=Dying)
Database(Path(sys.argv[1]), KIND)
"""


@pytest.mark.parametrize("moment", ["INSERT INTO uses", "DROP TABLE", "user_version =", "COMMIT"])
def test_a_crash_on_the_way_leaves_a_file_that_is_brought_up_to_date_later(
    old: Path, board: Board, moment: str
) -> None:
    died = subprocess.run([sys.executable, "-c", _DIES, str(old), moment], check=False)
    assert died.returncode == -signal.SIGKILL
    with sqlite3.connect(old) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM uses").fetchone()[0] > 40
    db.close()
    kept = keeper(old.parent, board)
    assert len(ask(kept, START + 600, hours=1).points) == 40
    assert kept.warnings() == ()
    kept.close()


def test_a_damaged_file_is_moved_aside_and_the_history_begins_anew(
    tmp_path: Path, board: Board
) -> None:
    file = tmp_path / "history.sqlite"
    file.write_bytes(b"no database" * 1000)
    kept = keeper(tmp_path, board)
    kept.take_sample(TEAMS, START)
    assert any("damaged" in text for text in kept.warnings())
    kept.take_sample(TEAMS, START + 30)
    (warning,) = kept.warnings()
    assert "history.sqlite.damaged-" in warning
    assert len(ask(kept, START + 60, project="team-a").points) == 1
    next(tmp_path.glob("*.damaged-*")).unlink()
    assert kept.warnings() == ()
    kept.close()


def test_a_disk_that_cannot_be_written_is_a_warning_and_is_tried_again(
    tmp_path: Path, board: Board
) -> None:
    folder = tmp_path / "missing"
    kept = keeper(folder, board)
    kept.take_sample(TEAMS, START)
    (warning,) = kept.warnings()
    assert "cannot be written" in warning
    with pytest.raises(StorageFailed):
        ask(kept, START)
    folder.mkdir()
    kept.take_sample(TEAMS, START + 30)
    assert kept.warnings() == ()
    assert len(ask(kept, START + 60, project="team-a").points) == 1
    kept.close()


def test_a_sample_that_could_not_be_written_is_written_at_the_next_try(
    tmp_path: Path, board: Board
) -> None:
    folder = tmp_path / "missing"
    kept = keeper(folder, board)
    kept.take_sample(TEAMS, START)
    for session in board.sessions:  # with none left, there is no next sample
        board.drop(session.id)
    assert not kept.due(START + 30)
    kept.retry(START + 30)
    assert "cannot be written" in kept.warnings()[0]
    folder.mkdir()
    kept.retry(START + 31)
    assert kept.warnings() == ()
    (point,) = ask(kept, START + 60, project="team-a").points
    assert (point.at, point.allocated) == (NOON, 2000)
    kept.close()


def test_a_newer_file_is_left_alone(tmp_path: Path, board: Board) -> None:
    file = tmp_path / "history.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = file.read_bytes()
    kept = keeper(tmp_path, board)
    kept.take_sample(TEAMS, START)
    assert "newer version" in kept.warnings()[0]
    kept.close()
    assert file.read_bytes() == before


@pytest.mark.asyncio
async def test_sessions_run_while_the_history_cannot_be_kept(
    make: Any, settings: dict[str, Any]
) -> None:
    blocked = Path(settings["home"], "history.sqlite")
    blocked.mkdir(parents=True)
    backend = await make(history_interval=1)
    session = await until(backend, (await launch(backend, gpu="0.5")).id, "running")
    await wait_for(lambda: any("history" in text for text in backend.changes.warnings()))
    blocked.rmdir()
    await wait_for(lambda: backend.changes.warnings() == ())
    asked = window_of(HistoryQuery(project="team-a"), datetime.now(UTC))
    told = await backend.history.read(asked)
    assert [p.peak for p in told.points] == [500]
    assert told.simulated
    assert "simulated" in told.note
    assert backend.sessions.all()[0].id == session.id
