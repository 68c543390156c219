"""The controller as a process: started, started twice, asked to exit, killed, long idle."""

from __future__ import annotations

import os
import signal
import stat
import time

import pytest

from tests.chosen import chosen
from tests.controller.launcher import Launcher, eventually, launcher
from tests.waiting import patience

__all__ = ["launcher"]


def test_it_introduces_itself_and_keeps_its_folder_to_itself(launcher):
    launcher.start()
    about = launcher.answering()
    assert (about["backend"], about["source"], about["simulated"]) == (chosen(), "simulated", True)
    assert {"history", "administration", "policing"} <= set(about["capabilities"])
    home = launcher.location.home
    assert stat.S_IMODE(launcher.state_dir.stat().st_mode) == 0o700
    assert (home / "controller.log").exists()
    for entry in (home, *home.iterdir()):
        assert stat.S_IMODE(entry.stat().st_mode) & 0o077 == 0, entry


def test_of_several_that_start_at_once_one_stays(launcher):
    processes = [launcher.start() for _ in range(4)]
    launcher.answering()
    eventually(lambda: [p.poll() for p in processes].count(None) == 1)
    assert sorted(p.returncode for p in processes if p.returncode is not None) == [0, 0, 0]
    assert launcher.answering()["backend"] == chosen()


@pytest.mark.parametrize("way", ["retire", "SIGTERM"])
def test_it_leaves_when_told_to_and_the_next_takes_over(launcher, way):
    first = launcher.start()
    launcher.answering()
    if way == "retire":
        assert launcher.ask("POST", "/retire") == (200, {})
    else:
        first.send_signal(signal.SIGTERM)
    launcher.start()  # while the first may still be leaving
    assert first.wait(patience()) == 0
    assert launcher.answering()["backend"] == chosen()


def test_after_a_kill_the_next_one_takes_over(launcher):
    first = launcher.start()
    launcher.answering()
    first.kill()
    first.wait()
    assert launcher.location.socket.exists()
    launcher.start()
    assert launcher.answering()["backend"] == chosen()


def test_it_leaves_when_it_has_long_had_nothing_to_do(launcher):
    process = launcher.start("--Controller.idle_exit=0.2")
    assert process.wait(patience()) == 0
    assert not launcher.location.socket.exists()


def test_it_stays_while_a_client_waits_for_news(launcher):
    process = launcher.start("--Controller.idle_exit=1")
    launcher.answering()
    _, now = launcher.ask("GET", "/api/changes?timeout=0")
    launcher.ask("GET", f"/api/changes?instance={now['instance']}&since={now['latest']}&timeout=3")
    assert process.poll() is None
    assert process.wait(patience()) == 0


def test_it_stays_while_a_session_runs(launcher):
    process = launcher.start("--Controller.idle_exit=1")
    launcher.answering()
    request = {"name": "s", "command": ["sleep", "600"]}
    _, session = launcher.ask("POST", "/api/sessions", request)
    path = f"/api/sessions/{session['id']}"
    eventually(lambda: launcher.ask("GET", path)[1]["state"] == "running")
    time.sleep(2)  # twice what it may be idle
    assert process.poll() is None
    launcher.ask("POST", f"{path}/stop")
    assert process.wait(patience()) == 0


@pytest.mark.parametrize("inside", ["file/state", "folder/state"])
def test_a_folder_that_cannot_be_used_is_said(tmp_path, inside):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir(mode=0o555)
    if inside.startswith("folder") and os.getuid() == 0:
        pytest.skip("root may write everywhere")
    launcher = Launcher(tmp_path / inside)
    said = launcher.refused()
    assert str(launcher.state_dir) in said
    assert "GpuQuota.state_dir" in said


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_account_is_not_touched(launcher):
    launcher.state_dir.mkdir()
    os.chown(launcher.state_dir, 65534, 65534)
    assert "another account" in launcher.refused()
    assert list(launcher.state_dir.iterdir()) == []


def test_a_folder_that_others_could_read_is_closed(launcher):
    launcher.state_dir.mkdir(mode=0o755)
    launcher.start()
    launcher.answering()
    assert stat.S_IMODE(launcher.state_dir.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--GpuQuota.webhook=http://example.org", "must begin with https"),
        ("--GpuQuota.webhook=https://[::x/", "webhook is unusable: it is not a URL"),
        ("--GpuQuota.reclaim_grace=-1", "reclaim_grace"),
        ("--Controller.idle_exit=soon", "idle_exit"),
    ],
)
def test_a_wrong_setting_is_said(launcher, argument, said):
    assert said in launcher.refused(argument)


def test_a_backend_that_is_not_installed_is_refused_with_those_that_are(launcher):
    said = launcher.refused("--backend=nothing")
    assert "Backend 'nothing' is not installed" in said
    assert chosen() in said
    assert not launcher.state_dir.exists()


def test_the_old_name_of_the_state_folder_counts_with_a_warning(tmp_path):
    launcher = Launcher(tmp_path / "state", "--LocalConfig.state_dir")
    try:
        process = launcher.start()
        launcher.answering()
        process.terminate()
        said, _ = process.communicate(timeout=patience())
        assert "GpuQuota.state_dir" in said
    finally:
        launcher.close()


def test_in_the_foreground_it_logs_to_the_terminal_and_stays(launcher):
    process = launcher.start("--foreground", "--Controller.idle_exit=0")
    launcher.answering()
    assert not launcher.location.log.exists()
    assert "Another controller is running" in launcher.refused("--foreground")
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=patience())
    assert process.returncode == 0
    assert "exiting" in said.splitlines()[-1]


def test_settings_come_from_jupyters_configuration(launcher, tmp_path):
    names = ("JUPYTER_NO_CONFIG",)
    env = {name: value for name, value in os.environ.items() if name not in names}
    (tmp_path / "jupyter_gpuquota_config.json").write_text('{"Controller": {"idle_exit": 0.1}}')
    env |= {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_PREFER_ENV_PATH": "0"}
    assert launcher.start(env=env).wait(patience()) == 0


@pytest.mark.parametrize(
    ("ending", "text", "says"),
    [
        ("py", "c.GpuQuota.projects = ", "line 1"),
        ("py", "\nimport not_installed_anywhere", "line 2"),
        ("json", "{", "JSON"),
    ],
)
def test_a_broken_configuration_file_is_said(launcher, tmp_path, ending, text, says):
    names = ("JUPYTER_NO_CONFIG",)
    env = {name: value for name, value in os.environ.items() if name not in names}
    (tmp_path / f"jupyter_gpuquota_config.{ending}").write_text(text)
    env |= {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_PREFER_ENV_PATH": "0"}
    said = launcher.refused(env=env)
    assert "jupyter_gpuquota_config" in said
    assert says in said


def test_a_path_longer_than_sockets_take(tmp_path):
    launcher = Launcher(tmp_path / ("long" * 40) / "state")
    launcher.start()
    try:
        assert launcher.answering()["backend"] == chosen()
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
    log = launcher.location.log.read_text()
    assert "started" in log
    assert secret not in log
