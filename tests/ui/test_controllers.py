"""`jupyter gpu controller`, and `--backend` before any command."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import InvalidRequest
from jupyter_gpuquota.hosting.backends import GROUP, installed
from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.ui.actions import run
from jupyter_gpuquota.ui.grammar import parse
from tests.client.standin import stand_in
from tests.shell import Ran, Shell, wait_for

ENTRY_POINT = f"[{GROUP}]\ntwin = {installed()['local'].value}\n"


@pytest.fixture
def twin(shell: Shell, tmp_path: Path):
    """Install a second backend, for the shell alone."""
    info = tmp_path / "twin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: twin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINT)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    shell.more["PYTHONPATH"] = path
    yield "twin"
    del shell.more["PYTHONPATH"]


def statuses(shell: Shell, *words: str) -> dict[str, dict]:
    found = shell.json(*words)["controllers"]
    return {each["backend"]: each for each in found}


def test_it_is_shown_started_and_stopped_while_sessions_run_on(shell):
    before = statuses(shell, "controller")["local"]
    assert (before["running"], before["pid"], before["sessions"]) == (False, 0, None)
    assert before["socket"] == str(shell.folder / "state" / "controller.sock")
    assert "not running" in shell.ok("controller", "status")
    assert "No controller of local runs." in shell.ok("controller", "stop")
    assert not (shell.folder / "state").exists()  # looking makes nothing

    started = statuses(shell, "controller", "start")["local"]
    assert started["running"]
    assert (started["pid"], started["sessions"]) == (holder_of(shell), 0)
    shell.ok("submit", "long", "--wait", "--interactive", "--command", "sleep 600")
    assert statuses(shell, "controller")["local"]["sessions"] == 1

    said = shell.ok("controller", "stop")
    assert f"(process {started['pid']}) has left; 1 session runs on." in said
    assert not statuses(shell, "controller")["local"]["running"]
    assert [s["state"] for s in shell.json("list")["items"]] == ["running"]
    assert statuses(shell, "controller")["local"]["pid"] != started["pid"]


def holder_of(shell: Shell) -> int:
    return int((shell.folder / "state" / "controller.lock").read_text())


def test_in_the_foreground_it_is_the_command_itself(shell):
    shell.ok("controller", "stop")
    process = shell.start("controller", "run")
    try:
        found = wait_for(lambda: process.poll() is not None or _running(shell))
        assert process.poll() is None, process.communicate()
        assert found["pid"] == process.pid
        second = shell("controller", "run")
        assert second.code == 4, second
        assert f"process {process.pid}" in second.err
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "sessions run on" in said
    finally:
        process.kill()
        process.communicate()


def _running(shell: Shell) -> dict:
    found = statuses(shell, "controller")["local"]
    return found if found["running"] else {}


def test_each_backend_has_a_controller_of_its_own(shell, twin):
    shell.ok("controller", "start")
    shell.ok("--backend", twin, "quota")
    found = statuses(shell, "controller", "status", "--all")
    assert set(found) == {"local", twin}
    assert found[twin]["socket"] == str(
        shell.folder / "state" / "backends" / twin / "controller.sock"
    )
    assert len({each["pid"] for each in found.values()}) == 2
    assert statuses(shell, "--backend", twin, "controller") == {twin: found[twin]}
    assert statuses(shell, "controller", "--backend", twin) == {twin: found[twin]}
    shell.more["JUPYTER_GPUQUOTA_BACKEND"] = twin
    assert statuses(shell, "controller") == {twin: found[twin]}
    assert set(statuses(shell, "--backend", "local", "controller")) == {"local"}
    del shell.more["JUPYTER_GPUQUOTA_BACKEND"]
    said = shell.ok("controller", "stop", "--all")
    assert said.count("has left") == 2
    assert not any(c["pid"] for c in statuses(shell, "controller", "--all").values())


@pytest.mark.parametrize("command", [["list"], ["controller", "start"], ["controller", "run"]])
def test_a_backend_that_is_not_installed_is_refused_with_those_that_are(shell, command):
    ran: Ran = shell("--backend", "nothing", *command)
    assert ran.code == 7
    assert "There is no backend 'nothing'" in ran.err
    assert "Installed: local" in ran.err
    assert not (shell.folder / "state" / "backends" / "nothing").exists()


@pytest.mark.parametrize("words", [["--all"], ["--json"]])
def test_run_is_one_controller_and_no_document(shell, words):
    assert shell("controller", "run", *words).code == 2


def test_a_notebook_does_not_become_a_controller(client, screen):
    with pytest.raises(InvalidRequest, match="notebook"):
        run(client, parse(["controller", "run"], terminal=False), screen)


def test_one_that_answers_strangely_is_shown_with_its_process(
    client, screen, tmp_path, monkeypatch
):
    monkeypatch.setenv("GPUQUOTA_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_GPUQUOTA_BACKEND", "local")
    with stand_in(Location(tmp_path).socket, b"<html>"):
        view = run(client, parse(["controller"], terminal=False), screen)
    (found,) = view.data.controllers
    assert (found.running, found.pid) == (True, os.getpid())
    assert "local: It does not answer as it should" in view.text
    assert str(os.getpid()) in str(view.html)
    assert view.records[0]["status"] == "running"
