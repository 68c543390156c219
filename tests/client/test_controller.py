"""The controller is found, started once, replaced if older, and its failures are explained."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from jupyter_gpuquota import Client, __version__
from jupyter_gpuquota.errors import NoServer, VersionMismatch
from jupyter_gpuquota.hosting import detach as starter
from jupyter_gpuquota.hosting import lock
from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.hosting.start import (
    clean_environment,
    ensure_controller,
    require_controller,
)
from jupyter_gpuquota.hosting.unix import UnixConnection
from jupyter_gpuquota.model.about import API_VERSION
from jupyter_gpuquota.unix_paths import short
from tests.chosen import chosen, location
from tests.client.standin import stand_in
from tests.waiting import patience

ABOUT = {
    "version": __version__,
    "api": API_VERSION,
    "backend": "stand-in",
    "user": "me",
    "source": "none",
    "simulated": False,
    "capabilities": [],
}


@pytest.fixture
def state_dir(tmp_path):
    """A state folder whose controller, if one was started, has gone after the test."""
    folder = tmp_path / "state"
    yield folder
    end_controller(folder)


def end_controller(folder: Path) -> None:
    """End every controller of a folder, those that are still starting included."""

    def found() -> list[psutil.Process]:
        processes = psutil.process_iter(["cmdline"])
        return [p for p in processes if str(folder) in (p.info["cmdline"] or ())]

    while processes := found():
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        psutil.wait_procs(processes, timeout=patience())


def pid_of(folder: Path) -> int:
    connection = UnixConnection(location(folder).socket, 10)
    try:
        connection.connect()
        return connection.pid
    finally:
        connection.close()


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition):
    deadline = time.monotonic() + patience()
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def test_it_is_started_once(state_dir):
    home = location(state_dir).home
    path = ensure_controller(location(state_dir))
    assert path == home / "controller.sock"
    pid = pid_of(state_dir)
    assert ensure_controller(location(state_dir)) == path
    assert pid_of(state_dir) == pid
    assert os.getsid(pid) == pid
    assert {folder.stat().st_mode & 0o777 for folder in (state_dir, home)} == {0o700}
    assert (home / "controller.log").stat().st_mode & 0o777 == 0o600


def test_it_is_no_child_of_whoever_starts_it(state_dir):
    # Ask in an interpreter of its own: this one may have become a reaper of orphans.
    script = (
        "import os, sys\n"
        "from jupyter_gpuquota.hosting.config_files import Choice\n"
        "from jupyter_gpuquota.hosting.locate import locate\n"
        "from jupyter_gpuquota.hosting.start import ensure_controller\n"
        "ensure_controller(locate(Choice(state_dir=sys.argv[1])))\n"
        "os.waitpid(-1, os.WNOHANG)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script, state_dir], capture_output=True, text=True, check=False
    )
    assert "ChildProcessError" in answer.stderr


def test_of_many_that_start_it_in_one_instant_all_find_the_same(state_dir):
    seen: set[int] = set()
    with ThreadPoolExecutor(6) as pool:
        starts = [pool.submit(ensure_controller, location(state_dir), 120) for _ in range(6)]
        while not all(each.done() for each in starts):
            seen |= controllers(state_dir)
            time.sleep(0.01)
    assert {each.result() for each in starts} == {location(state_dir).socket}
    assert Client(state_dir=state_dir).about().version == __version__
    assert seen == {pid_of(state_dir)}


def test_who_finds_another_client_starting_it_waits_longer(state_dir):
    lock.prepare(location(state_dir))
    starting = lock.lock_start(location(state_dir))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ensure_controller, location(state_dir), 0.1)
        time.sleep(0.5)
        assert not waiting.done()
        assert not controllers(state_dir)
        os.close(starting)
        assert waiting.result() == location(state_dir).socket


def controllers(state_dir):
    """Return the pids of controllers of a state folder; not of what starts them."""
    lines = ((p.pid, p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"]))
    return {
        pid
        for pid, line in lines
        if str(state_dir) in line and "jupyter_gpuquota.controller" in line and "-I" not in line
    }


def test_a_path_longer_than_the_kernel_takes_works(tmp_path):
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    try:
        assert Client(state_dir=folder).about().backend == chosen()
    finally:
        end_controller(folder)


def test_a_short_address_leads_to_the_same_place(tmp_path):
    folder = tmp_path / ("d" * 150)
    folder.mkdir()
    (folder / "x").write_text("here")
    with short(folder / "x") as address:
        assert len(address) <= 107
        assert Path(address).read_text() == "here"


def test_one_that_was_killed_is_replaced(state_dir):
    client = Client(state_dir=state_dir)
    client.about()
    pid = pid_of(state_dir)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not lives(pid))
    assert client.about().version == __version__
    assert pid_of(state_dir) != pid


@pytest.mark.parametrize(
    "about", [{**ABOUT, "version": "0.0.1"}, {"version": "0.0.1", "api": API_VERSION - 1}]
)
def test_an_older_one_is_sent_away_and_replaced(state_dir, about):
    with stand_in(location(state_dir).socket, about) as asked:
        ensure_controller(location(state_dir))
        assert asked == ["GET /gpuquota/api/about", "POST /gpuquota/retire"]
    assert Client(state_dir=state_dir).about().backend == chosen()


@pytest.mark.parametrize("version", [__version__, "999.0", "of no order"])
def test_one_of_the_same_interface_that_is_not_older_is_used(state_dir, version):
    with stand_in(location(state_dir).socket, {**ABOUT, "version": version}) as asked:
        ensure_controller(location(state_dir))
        assert asked == ["GET /gpuquota/api/about"]
        assert Client(state_dir=state_dir).about().backend == "stand-in"


@pytest.mark.parametrize("about", [{**ABOUT, "api": API_VERSION + 1}, {"strange": 1}, b"<html>"])
def test_one_of_another_interface_is_left_alone_and_named(state_dir, about):
    with stand_in(location(state_dir).socket, about) as asked:
        with pytest.raises(VersionMismatch) as caught:
            ensure_controller(location(state_dir))
        assert str(os.getpid()) in caught.value.message  # the stand-in is this process
        assert asked == ["GET /gpuquota/api/about"]


def test_one_that_fails_says_so(state_dir):
    with stand_in(location(state_dir).socket, b"{}", 500), pytest.raises(NoServer, match="500"):
        ensure_controller(location(state_dir))


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NoServer, match="cannot be used: Not a directory") as caught:
        ensure_controller(location(tmp_path / "file" / "state"))
    assert "GpuQuota.state_dir" in caught.value.hint


def test_its_last_words_are_shown(state_dir, tmp_path, monkeypatch):
    bad = {"GpuQuota": {"projects": [{"name": "team-a", "members": "ana"}]}}
    (tmp_path / "jupyter_gpuquota_config.json").write_text(json.dumps(bad))
    monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    with pytest.raises(NoServer) as caught:
        ensure_controller(location(state_dir))
    assert "members" in caught.value.message
    assert str(location(state_dir).log) in caught.value.hint
    assert not list(state_dir.rglob("controller.sock"))


def test_looking_does_not_start_it(state_dir):
    with pytest.raises(NoServer):
        require_controller(location(state_dir))
    assert not state_dir.exists()


def test_its_environment_is_free_of_where_it_was_started_from(tmp_path):
    found = {
        "PATH": "/bin",
        "JPY_PARENT_PID": "1",
        "JUPYTERHUB_API_TOKEN": "secret",
        "JUPYTERHUB_USER": "me",
        "JUPYTER_TOKEN": "secret",
        "CUDA_VISIBLE_DEVICES": "3",
        "GPUQUOTA_OF_A_TEST": "1",
    }
    clean = clean_environment(found, Location(tmp_path, "other"))
    assert clean == {
        "PATH": "/bin",
        "JUPYTERHUB_USER": "me",
        "CUDA_VISIBLE_DEVICES": "3",
        "GPUQUOTA_OF_A_TEST": "1",
        "GPUQUOTA_STATE_DIR": str(tmp_path),
        "JUPYTER_GPUQUOTA_BACKEND": "other",
    }
    inside = {**found, "GPUQUOTA_SESSION": "abc", "JUPYTER_RUNTIME_DIR": "/of/the/session"}
    clean = clean_environment(inside, Location(tmp_path))
    assert set(clean) == {
        "PATH",
        "JUPYTERHUB_USER",
        "GPUQUOTA_STATE_DIR",
        "JUPYTER_GPUQUOTA_BACKEND",
    }


class TestStarter:
    """The intermediate process that starts a detached program."""

    def start(self, *program: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", starter.__file__, *program], stdin=subprocess.PIPE
        )

    def test_it_ends_with_the_program(self):
        with self.start(sys.executable, "-c", "raise SystemExit(7)") as process:
            assert process.wait() == 7

    def test_it_tells_of_a_signal_as_a_shell_would(self):
        program = "import os; os.kill(os.getpid(), 9)"
        with self.start(sys.executable, "-c", program) as process:
            assert process.wait() == 137

    def test_it_leaves_the_program_alone_when_nobody_listens(self, tmp_path):
        program = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid()))"
        note = tmp_path / "pid"
        with self.start(sys.executable, "-c", f"{program}; time.sleep(600)", str(note)) as process:
            wait_for(lambda: note.exists() and note.read_text())
            process.stdin.close()
            assert process.wait() == 0
        pid = int(note.read_text())
        assert lives(pid)
        assert os.getsid(pid) == pid
        os.kill(pid, signal.SIGKILL)
