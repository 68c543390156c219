"""Folders of running sessions that disappear, and shims that hang."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota.errors import StorageFailed
from tests.contract.backend_contract import launch, until
from tests.lean import served
from tests.local.atwork import Lab
from tests.local.conftest import folder_of, marked, wait_for

pytestmark = pytest.mark.asyncio

DEAF = ("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")


def part(home: str, which: str, session_id: str) -> Path:
    return {
        "state": Path(home),
        "sessions": Path(home, "sessions"),
        "session": Path(home, "sessions", session_id),
    }[which]


async def looked(backend) -> None:
    """Wait until every live session was observed again, twice."""
    for _ in range(2):
        await backend.resident.act(backend.resident.worker.step)


def states(backend) -> dict[str, str]:
    return {session.spec.name: session.state for session in backend.sessions.all()}


@pytest.mark.parametrize("which", ["state", "sessions", "session"])
async def test_a_folder_moved_away_for_a_moment_ends_no_session(backend, settings, tmp_path, which):
    first = await until(backend, (await launch(backend, "exp-1")).id, "running")
    go = Path(settings["root_dir"], "go")
    waits = ("sh", "-c", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 3")
    second = await until(backend, (await launch(backend, "exp-2", command=waits)).id, "running")
    before, folder = marked(first.id), part(settings["home"], which, second.id)
    away = tmp_path / "away"
    folder.rename(away)
    await looked(backend)
    assert states(backend) == {"exp-1": "running", "exp-2": "running"}
    warnings = await wait_for(backend.changes.warnings)  # the history may have missed it, too
    assert any(str(folder) in warning for warning in warnings)
    go.touch()  # it ends while nobody can read how
    await wait_for(lambda: not marked(second.id))
    await looked(backend)
    assert states(backend) == {"exp-1": "running", "exp-2": "running"}
    away.rename(folder)
    failed = await until(backend, second.id, "failed")
    assert (failed.exit.code, marked(first.id)) == (3, before)
    await wait_for(lambda: backend.changes.warnings() == ())
    third = await until(backend, (await launch(backend, "exp-3")).id, "running")
    await backend.sessions.stop(third.id)


async def test_while_a_folder_is_away_sessions_stop_and_launches_say_what_to_do(
    make, settings, tmp_path
):
    backend = await make()
    session = await until(backend, (await launch(backend)).id, "running")
    home, away = Path(settings["home"]), tmp_path / "away"
    home.rename(away)
    with pytest.raises(StorageFailed) as refused:
        await launch(backend, "exp-2")
    assert f"mv {away} {home}" in str(refused.value)
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    assert not marked(session.id)
    away.rename(home)
    await wait_for(lambda: backend.changes.warnings() == ())


def removed(folder: Path) -> bool:
    """Remove a folder; return False if the controller has written into it meanwhile."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.ENOENT}:  # it is written in meanwhile
            raise
        return False
    return True


@pytest.mark.parametrize("which", ["state", "sessions", "session"])
async def test_a_removed_folder_is_made_again_under_a_running_session(
    make, elsewhere, settings, which
):
    first = elsewhere()
    session = first.ask("launch", "exp-1", {"command": ["sleep", "600"], "gpu": "0.5"})
    first.ask("until", session["id"], "running")
    folder, before = folder_of(settings["home"], session["id"]), marked(session["id"])
    key = Path(settings["home"], "token.key").read_bytes()
    await wait_for(lambda: removed(part(settings["home"], which, session["id"])))
    await wait_for(lambda: folder.load() and folder.shim_lives() and folder.leader(1))
    await wait_for(lambda: first.ask("warnings") == [])
    other = first.ask("launch", "exp-2", {"command": ["true"]})
    first.ask("until", other["id"], "done")
    first.kill()
    assert Path(settings["home"], "token.key").read_bytes() == key
    backend = await make()
    assert states(backend) == {"exp-1": "running", "exp-2": "done"}
    assert marked(session["id"]) == before
    await backend.sessions.stop(session["id"])
    stopped = await until(backend, session["id"], "stopped")
    assert (stopped.exit.signal, marked(session["id"])) == ("SIGTERM", set())


@pytest.mark.parametrize("way", ["moved", "removed"])
async def test_a_jupyter_server_and_its_kernel_are_reached_again(backend, settings, tmp_path, way):
    session = await until(backend, (await launch(backend, **served())).id, "running")
    lab = Lab(backend, session.id)
    kernel = (await lab.make("kernels", name="python3"))["id"]
    folder = folder_of(settings["home"], session.id)
    await wait_for(lambda: list(folder.runtime.glob(f"kernel-{kernel}.json")))
    remembered = psutil.Process(folder.leader(1).shim).num_ctx_switches()
    # Its shim has looked into the folder since: it wakes up every two seconds.
    await wait_for(
        lambda: psutil.Process(folder.leader(1).shim).num_ctx_switches().voluntary
        > remembered.voluntary + 1
    )
    if way == "moved":
        folder.path.rename(tmp_path / "away")
        await looked(backend)
        (tmp_path / "away").rename(folder.path)
    else:
        shutil.rmtree(folder.path)
        await wait_for(folder.shim_lives)
    assert [found["id"] for found in await lab.ask("api/kernels")] == [kernel]
    assert list(folder.runtime.glob(f"kernel-{kernel}.json"))


async def test_a_folder_missing_when_the_controller_starts_ends_no_session(
    make, elsewhere, settings, tmp_path
):
    first = elsewhere()
    session = first.ask("launch", "exp-1", {"command": ["sleep", "600"]})
    first.ask("until", session["id"], "running")
    first.kill()
    folder, away = folder_of(settings["home"], session["id"]).path, tmp_path / "away"
    folder.rename(away)
    backend = await make()
    await looked(backend)
    assert states(backend) == {"exp-1": "running"}
    assert str(folder) in (await wait_for(backend.changes.warnings))[0]
    await backend.sessions.stop(session["id"])
    await until(backend, session["id"], "stopped")
    assert not marked(session["id"])


@pytest.fixture
def freeze():
    """Make folders immutable, even for root, until the test ends."""
    frozen: list[Path] = []

    def start(*folders: Path) -> None:
        for folder in folders:
            done = subprocess.run(["chattr", "+i", str(folder)], capture_output=True, check=False)
            if done.returncode:
                pytest.skip(f"folders cannot be made read-only here: {done.stderr.decode()}")
            frozen.append(folder)

    yield start
    for folder in frozen:
        subprocess.run(["chattr", "-i", str(folder)], check=True)


@pytest.mark.parametrize("command", [("sleep", "600"), DEAF])
async def test_on_a_folder_that_cannot_be_written_a_session_is_stopped(
    make, settings, freeze, command
):
    backend = await make(stop_grace=0.3)
    session = await until(backend, (await launch(backend, command=command)).id, "running")
    folder = folder_of(settings["home"], session.id)
    shim, home = folder.leader(1).shim, Path(settings["home"])
    freeze(home, home / "sessions", folder.path)
    await backend.sessions.stop(session.id)
    stopped = await until(backend, session.id, "stopped")
    signal_name = "SIGKILL" if command == DEAF else "SIGTERM"
    assert (stopped.exit.signal, stopped.placement) == (signal_name, None)
    assert not marked(session.id)
    await wait_for(lambda: not psutil.pid_exists(shim))


async def test_a_note_that_could_not_be_published_is_read_all_the_same(backend, settings):
    session = await launch(backend, command=("sh", "-c", "exit 3"))
    await until(backend, session.id, "failed")
    folder = folder_of(settings["home"], session.id)
    (folder.path / "exit.json").rename(folder.path / ".exit.room")
    assert folder.exit(1).code == 3


async def test_a_hung_shim_is_named_and_got_round(make, settings):
    backend = await make(stop_grace=0.3)
    session = await until(backend, (await launch(backend, command=DEAF)).id, "running")
    shim = folder_of(settings["home"], session.id).leader(1).shim
    os.kill(shim, signal.SIGSTOP)
    (warning,) = await wait_for(backend.changes.warnings)
    assert "exp-1" in warning
    assert f"kill -CONT {shim}" in warning
    await backend.sessions.suspend(session.id)
    suspended = await until(backend, session.id, "suspended")
    assert (suspended.exit.signal, suspended.placement) == ("SIGKILL", None)
    assert not marked(session.id)
    await wait_for(lambda: backend.changes.warnings() == ())


async def test_an_end_that_a_hung_shim_does_not_see_is_seen(backend, settings):
    go = Path(settings["root_dir"], "go")
    command = ("sh", "-c", f"while [ ! -e {go} ]; do sleep 0.02; done; exit 3")
    session = await until(backend, (await launch(backend, command=command)).id, "running")
    os.kill(folder_of(settings["home"], session.id).leader(1).shim, signal.SIGSTOP)
    go.touch()
    failed = await until(backend, session.id, "failed")
    assert (failed.exit.code, failed.reason.code) == (3, "CommandFailed")


async def test_a_killed_shim_is_named(backend, settings):
    session = await until(backend, (await launch(backend)).id, "running")
    os.kill(folder_of(settings["home"], session.id).leader(1).shim, signal.SIGKILL)
    (warning,) = await wait_for(backend.changes.warnings)
    assert "The shim of exp-1 was killed" in warning


@pytest.mark.parametrize("kills", [1, 9])
async def test_a_shim_that_is_killed_before_anything_began_is_started_again(
    make, settings, monkeypatch, tmp_path, kills
):
    # A Python that is killed at once, as often as the file says, stands for a shim that is killed.
    count, python = tmp_path / "count", tmp_path / "python"
    count.write_text("x" * kills)
    python.write_text(
        f"#!/bin/sh\nif [ -s {count} ]; then truncate -s -1 {count}; kill -KILL $$; fi\n"
        f'exec {sys.executable} "$@"\n'
    )
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    backend = await make()
    session = await launch(backend)
    ended = await until(backend, session.id, lambda s: s.state in ("running", "failed"))
    if kills == 1:
        assert ended.state == "running"
    else:
        assert (ended.state, ended.reason.code) == ("failed", "StartFailed")
        assert "its shim was killed 3 times" in ended.reason.message
