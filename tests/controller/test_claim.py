"""A controller's claim on its state folder: what clients find, and the effects of losing it."""

from __future__ import annotations

import fcntl
import os
import subprocess
from errno import ENOLCK
from pathlib import Path

import msgspec
import pytest

from jupyter_gpuquota.errors import NoServer, StorageFailed
from jupyter_gpuquota.hosting.lock import Holder, holder, lock, prepare
from jupyter_gpuquota.hosting.start import ensure_controller
from jupyter_gpuquota.hosting.status import status, stop
from tests.controller.launcher import Launcher, eventually
from tests.waiting import patience


@pytest.fixture
def launcher(tmp_path):
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.close()


@pytest.fixture
def far(launcher):
    """A state folder claimed by a controller on another machine."""
    location = launcher.location
    prepare(location)
    held = lock(location)
    note = msgspec.json.encode(Holder(pid=4242, host="gpu-7", boot="of another machine"))
    location.lock.write_bytes(note)
    yield location
    os.close(held)


def remove(path: Path) -> None:
    path.unlink()


def replace(path: Path) -> None:
    path.unlink()
    path.write_text("something else")


@pytest.mark.parametrize("harm", [remove, replace])
def test_a_socket_that_somebody_takes_away_is_bound_again(launcher, harm):
    process = launcher.start()
    launcher.answering()
    harm(launcher.location.socket)
    ensure_controller(launcher.location)
    assert status(launcher.location).pid == process.pid
    assert "listening again" in launcher.location.log.read_text()


def test_a_lock_file_that_somebody_takes_away_is_locked_again(launcher):
    process = launcher.start()
    launcher.answering()
    launcher.location.lock.unlink()
    # A note that is being written has no process yet.
    assert eventually(lambda: (there := holder(launcher.location)) and there.pid) == process.pid


def test_a_folder_that_is_away_for_a_while_is_the_same_afterwards(launcher, tmp_path):
    process = launcher.start("--Controller.idle_exit=0")
    launcher.answering()
    launcher.state_dir.rename(tmp_path / "away")
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=3)  # it looks around meanwhile
    (tmp_path / "away").rename(launcher.state_dir)
    launcher.answering()
    assert status(launcher.location).pid == process.pid


def test_where_the_folder_was_made_anew_the_newer_controller_stays(launcher, tmp_path):
    old = launcher.start("--Controller.idle_exit=0")
    launcher.answering()
    launcher.state_dir.rename(tmp_path / "lost")
    new = launcher.start("--Controller.idle_exit=0")
    launcher.answering()
    assert old.wait(patience()) == 0
    assert status(launcher.location).pid == new.pid


def test_a_controller_on_another_machine_is_named_at_once(far, launcher):
    for refused in (lambda: ensure_controller(far), lambda: stop(far)):
        with pytest.raises(NoServer, match="process 4242 on gpu-7") as caught:
            refused()
        assert "GpuQuota.state_dir" in caught.value.hint
    found = status(far)
    assert (found.running, found.pid) == (True, 4242)
    assert "gpu-7" in found.problem
    assert not far.log.exists()  # nothing was started
    assert "gpu-7" in launcher.refused()


def test_one_that_does_not_listen_is_named(launcher):
    prepare(launcher.location)
    assert (status(launcher.location).pid, status(launcher.location).problem) == (0, "")
    held = lock(launcher.location)
    try:
        found = status(launcher.location)
        assert (found.running, found.pid) == (False, os.getpid())
        assert found.problem == "It is starting or exiting."
        with pytest.raises(NoServer, match=f"process {os.getpid()} on ") as caught:
            ensure_controller(launcher.location, timeout=0.1)
        assert f"`kill {os.getpid()}`" in caught.value.hint
        assert "Another controller is running" in (said := launcher.refused("--foreground"))
        assert f"process {os.getpid()} on " in said
    finally:
        os.close(held)


def test_a_file_system_without_locks_is_said(launcher, monkeypatch):
    def no_lock(*_):
        raise OSError(ENOLCK, os.strerror(ENOLCK))

    prepare(launcher.location)
    monkeypatch.setattr(fcntl, "flock", no_lock)
    with pytest.raises(StorageFailed, match="lacks locks") as caught:
        lock(launcher.location)
    assert str(launcher.location.lock) in caught.value.message
    with pytest.raises(NoServer, match="lacks locks") as caught:
        ensure_controller(launcher.location)
    assert "GpuQuota.state_dir" in caught.value.hint
