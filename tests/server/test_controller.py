"""The controller as a process: started, started twice, told to leave, killed, long idle."""

from __future__ import annotations

import http.client
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.hosting.unix import UnixConnection

SETTINGS = (
    "--LocalConfig.devices=simulated",
    '--LocalConfig.simulated_nodes=[{"name": "n1", "gpus": 2}]',
    '--GpuQuota.projects=[{"name": "team-a", "quota": "2"}]',
)
PATIENCE = 60


class Launcher:
    """Start controllers, and end them all."""

    def __init__(self, home: Path, flag: str = "--state-dir") -> None:
        self.home = home
        self.flag = flag
        self.processes: list[subprocess.Popen[str]] = []

    def start(self, *more: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        module = "jupyter_gpuquota.controller"
        arguments = (*SETTINGS, f"{self.flag}={self.home}", *more)
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
        )
        self.processes.append(process)
        return process

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = UnixConnection(self.home / "controller.sock", PATIENCE)
        try:
            connection.request(method, f"/gpuquota{path}", json.dumps(body or {}))
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def answering(self) -> dict[str, Any]:
        """Wait until someone answers; return who."""

        def about() -> Any:
            try:
                return self.ask("GET", "/api/about")[1]
            except (OSError, http.client.HTTPException):
                return None

        return eventually(about)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()


def eventually(happens: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := happens():
            return found
        time.sleep(0.02)
    pytest.fail("It did not happen.")


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.close()


def test_it_introduces_itself_and_keeps_its_folder_to_itself(launcher):
    launcher.start()
    about = launcher.answering()
    assert (about["backend"], about["source"], about["simulated"]) == ("local", "simulated", True)
    usual = {"logs", "exec", "ingress", "history", "administration", "policing"}
    assert set(about["capabilities"]) == usual
    assert stat.S_IMODE(launcher.home.stat().st_mode) == 0o700
    for entry in launcher.home.iterdir():
        assert stat.S_IMODE(entry.stat().st_mode) & 0o077 == 0, entry


def test_of_several_that_start_at_once_one_stays(launcher):
    processes = [launcher.start() for _ in range(4)]
    launcher.answering()
    eventually(lambda: [p.poll() for p in processes].count(None) == 1)
    assert sorted(p.returncode for p in processes if p.returncode is not None) == [0, 0, 0]
    assert launcher.answering()["backend"] == "local"


@pytest.mark.parametrize("way", ["retire", "SIGTERM"])
def test_it_leaves_when_told_to_and_the_next_takes_over(launcher, way):
    first = launcher.start()
    launcher.answering()
    status, session = launcher.ask(
        "POST", "/api/sessions", {"name": "s", "gpu": 0.5, "command": ["sleep", "600"]}
    )
    assert status == 201
    running = f"/api/sessions/{session['id']}"
    eventually(lambda: launcher.ask("GET", running)[1]["state"] == "running")
    if way == "retire":
        assert launcher.ask("POST", "/retire") == (200, {})
    else:
        first.send_signal(signal.SIGTERM)
    launcher.start()  # while the first may still be leaving
    assert first.wait(PATIENCE) == 0
    launcher.answering()
    assert launcher.ask("GET", running)[1]["state"] == "running"
    launcher.ask("POST", f"{running}/stop")
    eventually(lambda: launcher.ask("GET", running)[1]["state"] == "stopped")


def test_after_a_kill_the_next_one_takes_over(launcher):
    first = launcher.start()
    launcher.answering()
    first.kill()
    first.wait()
    assert (launcher.home / "controller.sock").exists()
    launcher.start()
    assert launcher.answering()["backend"] == "local"


def test_it_leaves_when_it_has_long_had_nothing_to_do(launcher):
    process = launcher.start("--Controller.idle_exit=0.2")
    assert process.wait(PATIENCE) == 0
    assert not (launcher.home / "controller.sock").exists()


def test_it_stays_while_a_client_waits_for_news(launcher):
    process = launcher.start("--Controller.idle_exit=1")
    launcher.answering()
    _, now = launcher.ask("GET", "/api/changes?timeout=0")
    launcher.ask("GET", f"/api/changes?instance={now['instance']}&since={now['latest']}&timeout=3")
    assert process.poll() is None
    assert process.wait(PATIENCE) == 0


def test_it_stays_while_a_session_runs(launcher):
    process = launcher.start("--Controller.idle_exit=0.1")
    launcher.answering()
    request = {"name": "s", "command": ["sleep", "600"]}
    _, session = launcher.ask("POST", "/api/sessions", request)
    path = f"/api/sessions/{session['id']}"
    eventually(lambda: launcher.ask("GET", path)[1]["state"] == "running")
    time.sleep(1)  # ten times what it may be idle
    assert process.poll() is None
    launcher.ask("POST", f"{path}/stop")
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("inside", ["file/state", "folder/state"])
def test_a_folder_that_cannot_be_used_is_said(tmp_path, inside):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir(mode=0o555)
    if inside.startswith("folder") and os.getuid() == 0:
        pytest.skip("root may write everywhere")
    launcher = Launcher(tmp_path / inside)
    process = launcher.start()
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert str(launcher.home) in said
    assert "GpuQuota.state_dir" in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_account_is_not_touched(launcher):
    launcher.home.mkdir()
    os.chown(launcher.home, 65534, 65534)
    process = launcher.start()
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "another account" in said
    assert list(launcher.home.iterdir()) == []


def test_a_folder_that_others_could_read_is_closed(launcher):
    launcher.home.mkdir(mode=0o755)
    launcher.start()
    launcher.answering()
    assert stat.S_IMODE(launcher.home.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--LocalConfig.root_dir=work", "absolute path"),
        ("--LocalConfig.stop_grace=-1", "stop_grace"),
        ("--Controller.idle_exit=soon", "idle_exit"),
    ],
)
def test_a_wrong_setting_is_said(launcher, argument, said):
    process = launcher.start(argument)
    printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert said in printed
    assert "Traceback" not in printed


def test_a_backend_that_is_not_installed_is_refused_with_those_that_are(launcher):
    process = launcher.start("--backend=nothing")
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "There is no backend 'nothing'" in said
    assert "local" in said
    assert not launcher.home.exists()


def test_the_old_name_of_the_state_folder_counts_with_a_warning(tmp_path):
    launcher = Launcher(tmp_path / "state", "--LocalConfig.state_dir")
    try:
        process = launcher.start()
        launcher.answering()
        process.terminate()
        said, _ = process.communicate(timeout=PATIENCE)
        assert "GpuQuota.state_dir" in said
    finally:
        launcher.close()


def test_in_the_foreground_it_logs_to_the_terminal_and_stays(launcher):
    process = launcher.start("--foreground", "--Controller.idle_exit=0")
    launcher.answering()
    assert not (launcher.home / "controller.log").exists()
    second = launcher.start("--foreground")
    refused, _ = second.communicate(timeout=PATIENCE)
    assert (second.returncode, "Another controller runs" in refused) == (1, True)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "sessions run on" in said


def test_settings_come_from_jupyters_configuration(launcher, tmp_path):
    names = ("JUPYTER_NO_CONFIG",)
    env = {name: value for name, value in os.environ.items() if name not in names}
    (tmp_path / "jupyter_gpuquota_config.json").write_text('{"Controller": {"idle_exit": 0.1}}')
    env |= {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_PREFER_ENV_PATH": "0"}
    assert launcher.start(env=env).wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("ending", "text", "says"),
    [
        ("py", "c.LocalConfig.devices = ", "line 1"),
        ("py", "\nimport not_installed_anywhere", "line 2"),
        ("json", "{", "JSON"),
    ],
)
def test_a_broken_configuration_file_is_said(launcher, tmp_path, ending, text, says):
    names = ("JUPYTER_NO_CONFIG",)
    env = {name: value for name, value in os.environ.items() if name not in names}
    (tmp_path / f"jupyter_gpuquota_config.{ending}").write_text(text)
    env |= {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_PREFER_ENV_PATH": "0"}
    process = launcher.start(env=env)
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "jupyter_gpuquota_config" in said
    assert says in said
    assert "Traceback" not in said


def test_a_path_longer_than_sockets_take(tmp_path):
    launcher = Launcher(tmp_path / ("long" * 40) / "state")
    launcher.start()
    try:
        assert launcher.answering()["backend"] == "local"
    finally:
        launcher.close()


def test_its_log_says_nothing_secret(launcher):
    launcher.start()
    launcher.answering()
    _, session = launcher.ask("POST", "/api/sessions", {"name": "s"})
    path = f"/api/sessions/{session['id']}"
    eventually(lambda: launcher.ask("GET", path)[1]["state"] == "running")
    _, endpoint = launcher.ask("GET", f"{path}/endpoint")
    secret = endpoint["headers"]["Authorization"].removeprefix("token ")
    assert secret
    launcher.ask("POST", f"{path}/stop")
    eventually(lambda: launcher.ask("GET", path)[1]["state"] == "stopped")
    log = (launcher.home / "controller.log").read_text()
    assert "answers" in log
    assert secret not in log
