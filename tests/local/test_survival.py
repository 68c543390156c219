"""What sessions survive, with real processes that are really killed."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from jupyter_gpuquota.errors import StorageFailed, VersionMismatch
from jupyter_gpuquota.local.folders.folders import read_session
from jupyter_gpuquota.local.processes import processes
from jupyter_gpuquota.local.shim import files, procfs
from jupyter_gpuquota.model.sessions import LogQuery, Session
from tests.contract.backend_contract import launch, until
from tests.local.conftest import folder_of, marked, wait_for

pytestmark = pytest.mark.asyncio

SLEEP = {"command": ["sleep", "600"], "gpu": "0.5"}
EXITS = {"command": ["sh", "-c", "while [ ! -e go ]; do sleep 0.02; done; echo over; exit 3"]}


def work(settings: dict[str, Any]) -> Path:
    return Path(settings["root_dir"])


async def test_sessions_run_on_when_the_controller_is_killed(elsewhere, make, settings):
    first = elsewhere()
    session = first.ask("launch", "exp-1", SLEEP)
    running = first.ask("until", session["id"], "running")
    before = marked(session["id"])
    first.kill()
    assert marked(session["id"]) == before
    backend = await make()
    (adopted,) = backend.sessions.all()
    assert (adopted.state, adopted.id) == ("running", session["id"])
    assert adopted.placement.milli == 500
    assert adopted.started.isoformat().startswith(running["started"][:19])
    await backend.sessions.stop(adopted.id)
    await until(backend, adopted.id, "stopped")
    assert not marked(adopted.id)


async def test_an_exit_code_is_kept_while_no_controller_lives(elsewhere, make, settings):
    first = elsewhere()
    session = first.ask("launch", "exp-1", EXITS)
    first.ask("until", session["id"], "running")
    first.kill()
    (work(settings) / "go").touch()
    folder = folder_of(settings["home"], session["id"])
    await wait_for(lambda: not folder.shim_lives())
    backend = await make()
    failed = await until(backend, session["id"], "failed")
    assert (failed.exit.code, failed.exit.last_lines) == (3, ("over",))
    assert failed.reason.code == "CommandFailed"


async def test_a_controller_killed_at_any_moment_loses_no_session(elsewhere, make, settings):
    sessions_folder = Path(settings["home"], "sessions")
    for number in range(6):
        victim = elsewhere()
        sessions = victim.ask("sessions")
        assert len(sessions) == number
        name = f"exp-{number}"
        victim.tell("launch", name, {"command": ["sleep", "600"]})
        # Kill it somewhere between the first byte on disk and the started process.
        await wait_for(lambda count=number: len(list(sessions_folder.iterdir())) > count)
        victim.kill()
        survivor = elsewhere()
        names = [s["spec"]["name"] for s in survivor.ask("sessions")]
        if name not in names:  # it was killed before the session was accepted: nothing is left
            session = survivor.ask("launch", name, {"command": ["sleep", "600"]})
            survivor.ask("until", session["id"], "running")
        for session in survivor.ask("sessions"):
            survivor.ask("until", session["id"], "running")
            assert len(marked(session["id"])) == 1
        survivor.kill()
    await make()


async def test_a_session_runs_on_when_its_shim_is_killed(backend, settings):
    session = await until(backend, (await launch(backend, **EXITS)).id, "running")
    folder = folder_of(settings["home"], session.id)
    leader = folder.leader(1)
    os.kill(leader.shim, signal.SIGKILL)
    await wait_for(lambda: not folder.shim_lives())
    assert processes.alive(leader)
    (work(settings) / "go").touch()
    failed = await until(backend, session.id, "failed")
    assert (failed.exit.code, failed.reason.code) == (3, "CommandFailed")
    assert failed.exit.last_lines == ("over",)


async def test_without_shim_a_session_is_stopped_with_all_that_it_started(backend, settings):
    command = ("sh", "-c", "setsid sleep 600 & sleep 600")
    session = await until(backend, (await launch(backend, command=command)).id, "running")
    await wait_for(lambda: len(marked(session.id)) == 3)
    os.kill(folder_of(settings["home"], session.id).leader(1).shim, signal.SIGKILL)
    await backend.sessions.stop(session.id)
    stopped = await until(backend, session.id, "stopped")
    assert not marked(session.id)
    assert stopped.exit.signal == "SIGTERM"


def gone(pid: int) -> bool:
    """Return whether a process has ended; it is reaped where this process takes in orphans."""
    processes.reap_if_child(pid)
    return not psutil.pid_exists(pid)


async def test_when_nobody_could_see_the_end_it_is_said(elsewhere, settings):
    first = elsewhere()
    session = first.ask("launch", "exp-1", SLEEP)
    first.ask("until", session["id"], "running")
    leader = folder_of(settings["home"], session["id"]).leader(1)
    first.kill()
    os.kill(leader.shim, signal.SIGKILL)
    os.kill(leader.pid, signal.SIGKILL)
    await wait_for(lambda: gone(leader.pid))
    failed = elsewhere().ask("until", session["id"], "failed")
    assert (failed["exit"]["code"], failed["reason"]["code"]) == (None, "ExitUnknown")


async def test_both_killed_and_the_process_lives_on_then_it_is_adopted(elsewhere, make, settings):
    first = elsewhere()
    session = first.ask("launch", "exp-1", SLEEP)
    first.ask("until", session["id"], "running")
    leader = folder_of(settings["home"], session["id"]).leader(1)
    first.kill()
    os.kill(leader.shim, signal.SIGKILL)
    backend = await make()
    latest = (await backend.changes.changed("", 0)).latest
    await backend.changes.changed(latest, 1.5)
    assert backend.sessions.all()[0].state == "running"
    await backend.sessions.suspend(session["id"])
    await until(backend, session["id"], "suspended")
    assert not processes.alive(leader)


async def abandoned(elsewhere: Any, settings: dict[str, Any], **forged: Any) -> tuple[str, Any]:
    """Leave a running session without controller and shim, with a forged identity."""
    first = elsewhere()
    session = first.ask("launch", "exp-1", SLEEP)
    first.ask("until", session["id"], "running")
    folder = folder_of(settings["home"], session["id"])
    leader = folder.leader(1)
    first.kill()
    os.kill(leader.shim, signal.SIGKILL)
    os.kill(leader.pid, signal.SIGKILL)
    await wait_for(lambda: not processes.alive(leader))
    stranger = msgspec.structs.replace(leader, **forged)
    files.write_file(folder.path / "leader.json", msgspec.json.encode(stranger))
    return session["id"], stranger


async def test_after_a_reboot_a_session_can_be_resumed(elsewhere, make, settings):
    session_id, _ = await abandoned(elsewhere, settings, boot="another-boot")
    backend = await make()
    stopped = await until(backend, session_id, "stopped")
    assert stopped.reason.code == "HostRestarted"
    assert stopped.placement is None
    await backend.sessions.resume(session_id)
    assert (await until(backend, session_id, "running")).exit is None


@pytest.mark.parametrize("boot", ["", "another-boot"])
async def test_a_reused_pid_is_neither_adopted_nor_touched(elsewhere, make, settings, boot):
    stranger = procfs.read_stat(os.getpid())
    forged = {"pid": stranger.pid, "ticks": stranger.ticks + (0 if boot else 1)}
    session_id, leader = await abandoned(
        elsewhere, settings, **forged, **({"boot": boot} if boot else {})
    )
    assert not processes.alive(leader)
    backend = await make(stop_grace=0.0)
    ended = await until(backend, session_id, lambda s: s.state in ("failed", "stopped"))
    assert ended.reason.code == ("HostRestarted" if boot else "ExitUnknown")


async def test_notes_of_an_earlier_run_are_not_believed(backend, settings):
    session = await launch(backend, command=("true",))
    await until(backend, session.id, "done")
    folder = folder_of(settings["home"], session.id)
    assert folder.exit(1).code == 0
    assert folder.exit(2) is None
    assert folder.leader(2) is None
    assert folder.launch(2) is None


async def test_a_session_that_was_kept_in_the_earlier_format_is_found_with_its_run(make, settings):
    backend = await make()
    session = await until(backend, (await launch(backend)).id, "running")
    await backend.resident.close()
    kept = msgspec.to_builtins(session)
    kept["revision"] = int(session.revision)
    earlier = {"session": {k: v for k, v in kept.items() if k != "run"}, "run": 1, "log_from": 0}
    for data in (msgspec.json.encode(session), msgspec.json.encode(earlier)):
        assert read_session(data) == session
    with sqlite3.connect(Path(settings["home"], "state.db")) as database:
        database.execute("UPDATE sessions SET body=?", (msgspec.json.encode(earlier),))
    database.close()
    again = await make()
    assert [(s.state, s.run) for s in again.sessions.all()] == [("running", 1)]
    await again.sessions.stop(session.id)
    await until(again, session.id, "stopped")


async def test_killed_before_anything_was_started_it_starts_again(make, settings):
    backend = await make()
    session = await until(backend, (await launch(backend)).id, "running")
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    await backend.resident.close()
    database = Path(settings["home"], "state.db")
    session = read_sessions(database)[session.id]
    write_session(database, msgspec.structs.replace(session, state="starting", goal="run", run=2))
    again = await until(await make(), session.id, "running")
    assert again.exit is None or again.exit.code is not None


def read_sessions(path: Path) -> dict[str, Session]:
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT id, body FROM sessions").fetchall()
    database.close()
    return {row[0]: msgspec.json.decode(row[1], type=Session) for row in rows}


def write_session(path: Path, session: Session) -> None:
    with sqlite3.connect(path) as database:
        body = msgspec.json.encode(session)
        database.execute("UPDATE sessions SET body=? WHERE id=?", (body, session.id))
    database.close()


@pytest.mark.parametrize("damage", ["overwritten", "emptied", "removed", "unreadable row"])
async def test_sessions_are_found_again_when_the_state_file_is_lost(
    elsewhere, make, settings, damage
):
    first = elsewhere()
    running = first.ask("launch", "exp-1", SLEEP)
    ended = first.ask("launch", "exp-2", {"command": ["true"]})
    first.ask("until", running["id"], "running")
    first.ask("until", ended["id"], "done")
    first.kill()
    database = Path(settings["home"], "state.db")
    if damage == "unreadable row":
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE sessions SET body = x'00'")
        connection.close()
    else:
        for suffix in ("-wal", "-shm"):
            database.with_name(f"state.db{suffix}").unlink(missing_ok=True)
        if damage == "overwritten":
            database.write_bytes(os.urandom(50_000))
        elif damage == "emptied":
            database.write_bytes(b"")
        else:
            database.unlink()
    backend = await make()
    assert {s.spec.name: s.state for s in backend.sessions.all()} == {
        "exp-1": "running",
        "exp-2": "done",
    }
    entries = sorted((database.parent / "set-aside").iterdir())
    assert len(entries) == (2 if damage == "unreadable row" else 1)
    assert (entries[0] / "state.db").exists() == (damage == "overwritten")
    for entry, warning in zip(entries, backend.changes.warnings(), strict=True):
        assert str(entry) in warning
        shutil.rmtree(entry)
    await wait_for(lambda: backend.changes.warnings() == ())


async def test_a_state_file_of_a_newer_version_is_left_alone(make, settings):
    await (await make()).resident.close()
    database = Path(settings["home"], "state.db")
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(VersionMismatch, match="newer version"):
        await make()


@pytest.mark.parametrize("removed_row", [False, True])
async def test_a_deletion_that_was_interrupted_is_finished(make, settings, removed_row):
    backend = await make()
    session = await until(backend, (await launch(backend, command=("true",))).id, "done")
    await backend.resident.close()
    state = Path(settings["home"])
    folder = state / "sessions" / session.id
    folder.rename(folder.with_name(f".deleted-{session.id}"))
    if removed_row:
        with sqlite3.connect(state / "state.db") as connection:
            connection.execute("DELETE FROM sessions")
        connection.close()
    assert (await make()).sessions.all() == ()
    assert list((state / "sessions").iterdir()) == []


async def test_a_creation_that_was_interrupted_leaves_nothing(make, settings):
    backend = await make()
    await until(backend, (await launch(backend, command=("true",))).id, "done")
    await backend.resident.close()
    state = Path(settings["home"])
    (state / "sessions" / "shalfmade").mkdir()
    (again,) = (await make()).sessions.all()
    assert [path.name for path in (state / "sessions").iterdir()] == [again.id]


async def test_a_full_disk_refuses_launches_and_keeps_exit_codes(elsewhere, own_disk, tmp_path):
    disk = tmp_path / "disk"
    one = elsewhere(prefix=own_disk("size=2m"), home=str(disk / "state"))
    go = tmp_path / "work" / "go"
    before = one.ask("launch", "before", EXITS)
    one.ask("until", before["id"], "running")
    one.ask("fill", str(disk / "filler"))
    refused = one.ask("launch", "refused", SLEEP)
    assert refused["error"] == "StorageFailed"
    assert "No space left" in refused["message"] or "full" in refused["message"]
    assert [s["spec"]["name"] for s in one.ask("sessions")] == ["before"]
    go.touch()
    failed = one.ask("until", before["id"], "failed")
    assert failed["exit"]["code"] == 3
    assert failed["exit"]["last_lines"] == []
    one.ask("free", str(disk / "filler"))
    after = one.ask("launch", "after", {"command": ["true"]})
    one.ask("until", after["id"], "done")
    await wait_for(lambda: one.ask("warnings") == [])
    one.ask("close")


async def test_a_state_folder_that_cannot_be_written_is_said(elsewhere, own_disk, tmp_path):
    state = str(tmp_path / "disk" / "state")
    one = elsewhere(prefix=own_disk("ro"), home=state)
    assert one.started["error"] == "StorageFailed"
    assert state in one.started["message"]


async def test_nothing_is_made_when_the_state_file_is_full(make, settings):
    backend = await make()
    backend.resident.worker._store._open_store.database._db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageFailed, match="No space left"):
        await launch(backend, env={"BIG": "x" * 50_000})
    assert backend.sessions.all() == ()
    assert list(Path(settings["home"], "sessions").iterdir()) == []


async def test_a_start_whose_failure_cannot_be_stored_stays_queued(make, settings, tmp_path):
    backend = await make()
    blocker = await until(backend, (await launch(backend, "blocker", gpu="4")).id, "running")
    folder = tmp_path / "folder"
    folder.mkdir()
    queued = await launch(backend, gpu="4", folder=str(folder))
    assert queued.state == "waiting"
    # From now on it cannot be stored that it has failed, neither in its row nor in its copy.
    db = backend.resident.worker._store._open_store.database._db
    db.create_function("refused", 1, lambda body: 1 / (b'"state":"failed"' not in body))
    db.execute(
        "CREATE TEMP TRIGGER full BEFORE UPDATE ON sessions BEGIN SELECT refused(NEW.body); END"
    )
    own = folder_of(settings["home"], queued.id).path
    (own / ".session.room").unlink()
    for name in (".session.room", ".session.json.new"):
        (own / name).mkdir()
    folder.rmdir()
    await backend.sessions.stop(blocker.id)
    words = "could not be started, and that cannot be stored"
    await wait_for(lambda: any(words in each for each in backend.changes.warnings()))
    [shown] = [each for each in backend.sessions.all() if each.id == queued.id]
    assert shown.state in ("waiting", "starting")

    db.execute("DROP TRIGGER full")
    for name in (".session.room", ".session.json.new"):
        (own / name).rmdir()
    failed = await until(backend, queued.id, "failed")
    assert "no longer accessible" in failed.reason.message
    await backend.resident.close()
    states = {each.id: each.state for each in (await make()).sessions.all()}
    assert states == {blocker.id: "stopped", queued.id: "failed"}


async def test_a_log_is_still_there_after_the_controller_was_killed(elsewhere, make, settings):
    first = elsewhere()
    session = first.ask("launch", "exp-1", {"command": ["sh", "-c", "echo one; sleep 600"]})
    first.ask("until", session["id"], "running")
    first.kill()
    backend = await make()
    log = folder_of(settings["home"], session["id"]).path / "log"
    await wait_for(lambda: log.exists() and log.read_text())
    chunk = await backend.logs.read(session["id"], LogQuery())
    assert (chunk.text, chunk.missed, chunk.ended) == ("one\n", False, False)
