"""`jupyter gpu controller`, and `--backend` before any command."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import InvalidRequest
from jupyter_gpuquota.hosting.backends import GROUP, installed
from jupyter_gpuquota.hosting.lock import holder
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse
from tests.chosen import chosen, location
from tests.client.standin import stand_in
from tests.shell import Ran, Shell, wait_for
from tests.waiting import patience


@pytest.fixture
def twin(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a second backend, for the shell alone."""
    info = tmp_path / "twin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: twin\nVersion: 1.0\n")
    entry = installed()[chosen()].value
    (info / "entry_points.txt").write_text(f"[{GROUP}]\ntwin = {entry}\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    shell.more["PYTHONPATH"] = path
    monkeypatch.syspath_prepend(tmp_path)
    yield "twin"
    del shell.more["PYTHONPATH"]


def statuses(shell: Shell, *words: str) -> dict[str, dict]:
    found = shell.json(*words)["controllers"]
    return {each["backend"]: each for each in found}


def test_a_controller_is_shown_started_and_stopped(shell):
    where = location(shell.folder / "state")
    before = statuses(shell, "controller")[chosen()]
    assert (before["running"], before["pid"], before["sessions"]) == (False, 0, None)
    assert before["socket"] == str(where.socket)
    assert "not running" in shell.ok("controller", "status")
    assert f"No running controller of {chosen()}." in shell.ok("controller", "stop")
    assert not (shell.folder / "state").exists()  # looking makes nothing

    started = statuses(shell, "controller", "start")[chosen()]
    assert started["running"]
    assert (started["pid"], started["sessions"]) == (holder(where).pid, 0)
    said = shell.ok("controller", "stop")
    assert f"(process {started['pid']})." in said
    assert not statuses(shell, "controller")[chosen()]["running"]
    assert shell.json("list")["items"] == []
    assert statuses(shell, "controller")[chosen()]["pid"] != started["pid"]


def test_stopping_reports_what_happens_to_sessions(shell):
    shell.ok("submit", "long", "--wait", "--interactive", "--command", "sleep 600")
    controller = statuses(shell, "controller")[chosen()]
    assert controller["sessions"] == 1
    said, items = shell.ok("controller", "stop"), shell.json("list")["items"]
    if controller["outlived"]:
        assert "; 1 session keeps running." in said
        assert [session["state"] for session in items] == ["running"]
    else:
        assert ", and 1 session with it." in said
        assert items == []


def test_run_turns_the_command_into_the_controller(shell):
    shell.ok("controller", "stop")
    process = shell.start("controller", "run")
    try:
        found = wait_for(lambda: process.poll() is not None or _running(shell))
        assert process.poll() is None, process.communicate()
        assert found["pid"] == process.pid
        second = shell.apart("controller", "run")
        assert second.code == 4, second
        assert f"process {process.pid}" in second.err
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=patience())
        assert process.returncode == 0
        assert "exiting" in said.splitlines()[-1]
    finally:
        process.kill()
        process.communicate()


def _running(shell: Shell) -> dict:
    found = statuses(shell, "controller")[chosen()]
    return found if found["running"] else {}


def test_each_backend_has_a_controller_of_its_own(shell, twin):
    shell.ok("controller", "start")
    shell.ok("--backend", twin, "quota")
    found = statuses(shell, "controller", "status", "--all")
    assert set(found) == {chosen(), twin}
    assert found[twin]["socket"] == str(
        shell.folder / "state" / "backends" / twin / "controller.sock"
    )
    assert len({each["pid"] for each in found.values()}) == 2
    assert statuses(shell, "--backend", twin, "controller") == {twin: found[twin]}
    assert statuses(shell, "controller", "--backend", twin) == {twin: found[twin]}
    shell.more["JUPYTER_GPUQUOTA_BACKEND"] = twin
    assert statuses(shell, "controller") == {twin: found[twin]}
    assert set(statuses(shell, "--backend", chosen(), "controller")) == {chosen()}
    del shell.more["JUPYTER_GPUQUOTA_BACKEND"]
    said = shell.ok("controller", "stop", "--all")
    assert said.count("Stopped the controller of") == 2
    assert not any(c["pid"] for c in statuses(shell, "controller", "--all").values())


@pytest.mark.parametrize(
    "command",
    [["list"], *(["controller", action] for action in ("status", "start", "stop", "run"))],
)
def test_an_unknown_backend_is_refused_with_the_installed_ones(shell, command):
    ran: Ran = shell("--backend", "nothing", *command)
    assert ran.code == 7
    assert "Backend 'nothing' is not installed" in ran.err
    assert f"Installed: {', '.join(sorted(installed()))}." in ran.err
    assert not (shell.folder / "state" / "backends" / "nothing").exists()


@pytest.mark.parametrize("words", [["--all"], ["--json"]])
def test_run_takes_neither_all_nor_json(shell, words):
    assert shell("controller", "run", *words).code == 2


def test_a_notebook_does_not_become_a_controller(client, console):
    with pytest.raises(InvalidRequest, match="notebook"):
        run(client, parse(["controller", "run"], terminal=False), console)


def test_a_controller_with_strange_answers_is_shown_with_its_process(
    client, console, tmp_path, monkeypatch
):
    monkeypatch.setenv("GPUQUOTA_STATE_DIR", str(tmp_path))
    with stand_in(location(tmp_path).socket, b"<html>"):
        view = run(client, parse(["controller"], terminal=False), console)
    (found,) = view.data.controllers
    assert (found.running, found.pid) == (True, os.getpid())
    assert f"{chosen()}: Unexpected response" in view.text
    assert str(os.getpid()) in str(view.html)
    assert view.records[0]["status"] == "running"
