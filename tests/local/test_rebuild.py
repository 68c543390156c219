"""The state file is lost, damaged, or older than the copies: everything is restored."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import Outdated
from jupyter_gpuquota.local.state.store import KIND
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until
from tests.local.conftest import home_of, marked

pytestmark = pytest.mark.asyncio

SLEEP = ("sleep", "600")


def change(home: Path, statement: str, *values: Any) -> None:
    """Change the state file directly."""
    with closing(sqlite3.connect(home / "state.db")) as database, database:
        database.execute(statement, values)


def aside(home: Path) -> list[Path]:
    """Return everything that was set aside, except the explanations."""
    found = (home / "set-aside").glob("*/*")
    return sorted(path for path in found if path.name != "why.txt")


async def fill(backend: Backend) -> tuple[Any, ...]:
    """Create a running session, an ended one, settings and an audit log."""
    running = await until(backend, (await launch(backend, "runs", command=SLEEP)).id, "running")
    ended = await until(backend, (await launch(backend, "ended", command=("true",))).id, "done")
    for number in range(3):
        name = f"team-{number}"
        await backend.administration.put_project(Project(name=name, quota=1, revision=""), "ana")
    return running.id, ended.id, await what_is_kept(backend)


async def what_is_kept(backend: Backend) -> tuple[Any, ...]:
    sessions = {session.id: session.state for session in backend.sessions.all()}
    audit = [(entry.id, entry.who, entry.what) for entry in await backend.administration.audit()]
    audit = [entry for entry in audit if entry[1] != "system"]
    return sessions, backend.inventory.projects(), audit


async def test_an_empty_state_file_with_folders_beside_it_is_filled_again(make, settings):
    backend = await make()
    running, _, kept = await fill(backend)
    await backend.resident.close()
    home = home_of(backend)
    (home / "state.db").unlink()
    with closing(sqlite3.connect(home / "state.db")) as database:
        scripts = " ".join(KIND.migrations)
        database.executescript(f"{scripts} PRAGMA user_version = {len(KIND.migrations)};")
    again = await make()
    assert await what_is_kept(again) == kept
    assert len(marked(running)) == 1


@pytest.mark.parametrize("damage", ["removed", "emptied", "overwritten", "torn", "dropped"])
@pytest.mark.parametrize("begun", [False, True])
async def test_nothing_is_lost_with_the_state_file(make, settings, damage, begun):
    backend = await make()
    _, _, kept = await fill(backend)
    await backend.resident.close()
    home = home_of(backend)
    file = home / "state.db"
    if damage == "removed":
        file.unlink()
    elif damage == "dropped":
        change(home, "DROP TABLE sessions")
    else:
        with file.open("r+b") as opened:
            opened.truncate(0 if damage == "emptied" else file.stat().st_size // 2)
            if damage == "overwritten":
                opened.write(os.urandom(9_000))
    if begun:  # an earlier attempt was killed
        (home / "state.db.new").write_bytes(os.urandom(5_000))
        (home / "state.db.new-journal").write_bytes(b"x")
    again = await make()
    assert await what_is_kept(again) == kept
    warnings = again.changes.warnings()
    assert len(warnings) == 1
    assert str(file) in warnings[0]
    assert [path.name for path in aside(home)] == (
        [] if damage in ("removed", "emptied") else ["state.db"]
    )
    assert not list(home.glob("state.db.*"))


async def test_a_file_that_was_built_is_put_in_place_after_a_kill(make, settings):
    backend = await make()
    _, _, kept = await fill(backend)
    await backend.resident.close()
    home = home_of(backend)
    (home / "state.db").rename(home / "state.db.built")
    (home / "state.db-wal").write_bytes(b"of the damaged file")
    again = await make()
    assert await what_is_kept(again) == kept
    assert [path.name for path in aside(home)] == ["state.db-wal"]


async def test_what_the_copies_know_later_counts(make, settings):
    """The file goes back to an earlier one: its last transactions are lost, or it was put back."""
    backend = await make()
    running, ended, _ = await fill(backend)
    await backend.resident.close()
    home = home_of(backend)
    shutil.copy(home / "state.db", home / "earlier")
    backend = await make()
    await backend.sessions.suspend(running)
    await until(backend, running, "suspended")
    await backend.sessions.resume(ended)
    await until(backend, ended, lambda session: session.run == 2 and session.state == "done")
    third = await until(backend, (await launch(backend, "third", command=SLEEP)).id, "running")
    await backend.administration.put_project(Project(name="later", quota=1, revision=""), "ben")
    kept = await what_is_kept(backend)
    await backend.resident.close()
    shutil.move(home / "earlier", home / "state.db")
    again = await make()
    assert await what_is_kept(again) == kept
    assert {session.id: session.run for session in again.sessions.all()}[ended] == 2
    assert len(marked(third.id)) == 1
    stale = replace(again.inventory.projects()[-1], revision="1")
    with pytest.raises(Outdated, match="ben created project later"):
        await again.administration.put_project(stale, "cho")


async def test_without_copy_the_audit_log_begins_anew_and_that_is_said(make, settings):
    backend = await make()
    _, _, kept = await fill(backend)
    await backend.resident.close()
    home = home_of(backend)
    (home / "state.db").unlink()
    (home / "audit.ndjson").unlink()
    again = await make()
    assert await what_is_kept(again) == (*kept[:2], [])
    (warning,) = again.changes.warnings()
    assert "audit log had no copy" in warning


@pytest.mark.parametrize("room", [8_000, 60_000])
async def test_a_full_disk_stops_the_rebuild_and_nothing_is_lost(
    elsewhere, own_disk, tmp_path, room
):
    disk = tmp_path / "disk"
    one = elsewhere(prefix=own_disk("size=8m"), home=str(disk / "state"))
    for number in range(10):
        spec = {"command": ["sleep", "600"], "env": {"BIG": "x" * 4000}}
        session = one.ask("launch", f"exp-{number}", spec)
        one.ask("until", session["id"], "running")
    one.ask("leave")
    one.ask("free", str(disk / "state" / "state.db"))
    one.ask("fill", str(disk / "filler"), room)
    assert one.ask("again") == {"error": "StorageFailed", "message": ANY}
    one.ask("free", str(disk / "filler"))
    one.ask("again")
    found = {session["spec"]["name"]: session["state"] for session in one.ask("sessions")}
    assert found == {f"exp-{number}": "running" for number in range(10)}
    for session in one.ask("sessions"):
        assert len(marked(session["id"])) == 1
        one.ask("end", "stop", session["id"])
        one.ask("until", session["id"], "stopped")
    one.ask("close")
