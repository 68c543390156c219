"""Sessions that a JupyterLab shows, and programs inside them that are run through it."""

from __future__ import annotations

import signal
import subprocess
import sys

import psutil
import pytest

from jupyter_gpuquota.errors import Unsupported
from tests.shell import shell, wait_for
from tests.ui.conftest import preferred
from tests.ui.lab import BASE_URL, lab, session, through
from tests.waiting import patience

__all__ = ["lab", "preferred", "session", "shell", "through"]


def test_it_is_shown_by_the_lab_and_works_in_the_folder_of_the_shell(shell, session):
    spec = shell.json("describe", session)["spec"]
    assert (spec["base_url"], spec["folder"]) == (BASE_URL, str(shell.folder / "work"))


def test_open_leads_to_its_jupyter_server(shell, lab, session):
    url = shell.ok("open", session).strip()
    _, answer = lab.ask(f"{url}api/status")
    assert answer["connections"] == 0


def test_what_does_not_run_is_not_opened(shell, lab):
    shell.ok("submit", "done", "--wait", "--", "true")
    assert shell("open", "done").code == 4


def test_programs_and_logs_come_through_the_server(through, session):
    assert through.sessions.exec(session, ["echo", "hi"]).output == "hi\n"
    events = list(through.sessions.exec_stream(session, ["sh", "-c", "echo hi; exit 3"]))
    assert "".join(event.output for event in events) == "hi\n"
    assert events[-1].result.exit_code == 3
    assert "Jupyter Server" in through.sessions.logs(session)


def test_the_server_fills_in_what_is_at_home_there(through, shell):
    (shell.folder / "root" / "sub").mkdir()
    made = through.sessions.submit("through", folder="sub", command=["true"])
    assert made.spec.base_url == BASE_URL
    assert made.spec.folder == str(shell.folder / "root" / "sub")


def test_a_program_is_ended_when_nobody_listens_any_more(through, session):
    script = "echo $$; exec sleep 600"
    events = through.sessions.exec_stream(session, ["sh", "-c", script])
    running = psutil.Process(int(next(events).output))
    events.close()
    wait_for(lambda: not running.is_running())


def test_an_interrupt_of_the_shell_ends_the_program(shell, lab, session):
    main = (
        "import sys; from jupyter_gpuquota import Client;"
        "from jupyter_gpuquota.ui import command_line as cli;"
        "words = cli.parse(sys.argv[2:], terminal=True);"
        "cli.run(Client(sys.argv[1]), words, cli.Terminal())"
    )
    script = "echo $$; exec sleep 600"
    words = ["exec", session, "--", "sh", "-c", script]
    command = [sys.executable, "-c", main, f"{lab.url}?token={lab.token}", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        running = psutil.Process(int(process.stdout.readline()))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=patience())
    assert process.returncode
    wait_for(lambda: not running.is_running())


def test_a_terminal_elsewhere_cannot_be_inside(through, session):
    with pytest.raises(Unsupported):
        through.sessions.inside(session)
