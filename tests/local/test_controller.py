"""Its controller as a process: sessions run on without it, and its own settings are checked."""

from __future__ import annotations

import signal

import pytest

from jupyter_gpuquota.ports.backend import CAPABILITIES
from tests.controller.launcher import eventually, launcher
from tests.controller.process import Process
from tests.waiting import patience

__all__ = ["launcher"]


def test_it_introduces_itself(launcher):
    launcher.start()
    about = launcher.answering()
    # A terminal here enters a session by its environment, without the controller, and files of
    # snapshots are written here, not streamed. It has one cluster.
    assert set(about["capabilities"]) == set(CAPABILITIES) - {"terminals", "streaming", "fallbacks"}
    assert about["outlives_controller"]


@pytest.mark.parametrize("way", ["retire", "SIGTERM"])
def test_sessions_run_on_until_the_next_takes_over(launcher, way):
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
    assert first.wait(patience()) == 0
    launcher.answering()
    assert launcher.ask("GET", running)[1]["state"] == "running"
    assert "exiting; sessions keep running" in launcher.location.log.read_text()
    launcher.ask("POST", f"{running}/stop")
    eventually(lambda: launcher.ask("GET", running)[1]["state"] == "stopped")


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--LocalConfig.root_dir=work", "absolute path"),
        ("--LocalConfig.stop_grace=-1", "stop_grace"),
    ],
)
def test_a_wrong_setting_is_said(launcher, argument, said):
    assert said in launcher.refused(argument)


def test_it_is_not_hosted_for_many_people(tmp_path):
    refused = Process(tmp_path, backend="local").refused()
    assert "all sessions would run as the controller's account" in refused
