"""Beside a JupyterLab with our extension: where sessions are shown, and the way through it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any
from urllib.request import Request, urlopen

import psutil
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.client import discovery, programs
from jupyter_gpuquota.client.transport import HttpTransport
from jupyter_gpuquota.errors import NoServer, NotAllowed, NotFound, Unsupported
from tests.shell import wait_for

BASE_URL = "/user/me/"


@dataclass(frozen=True)
class Lab:
    """Be a Jupyter Server that runs beside the shell."""

    url: str
    token: str
    pid: int

    def ask(self, url: str, body: Any = None) -> tuple[int, Any]:
        """Ask with its token, POST if there is a body; return the status and what it answers."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {self.token}"}
        with urlopen(Request(url, data, headers), timeout=60) as answer:  # noqa: S310 (our own)
            return answer.status, json.load(answer)


@pytest.fixture(scope="module")
def lab(shell):
    """A Jupyter Server with our extension, behind a base URL."""
    root = shell.folder / "root"
    root.mkdir()
    env = {name: value for name, value in shell.env.items() if name != "GPUQUOTA_STATE_DIR"}
    command = [sys.executable, "-m", "jupyter", "server", "--no-browser", "--port=0"]
    settings = [
        "--allow-root",
        f"--ServerApp.root_dir={root}",
        f"--ServerApp.base_url={BASE_URL}",
        f"--GpuQuota.state_dir={shell.folder / 'state'}",
        "--ServerApp.jpserver_extensions={'jupyter_gpuquota': True}",
    ]
    with (shell.folder / "server.log").open("w") as log:
        process = subprocess.Popen([*command, *settings], env=env, stdout=log, stderr=log)
    try:
        note = shell.folder / "runtime" / f"jpserver-{process.pid}.json"

        def noted() -> Any:
            assert process.poll() is None, (shell.folder / "server.log").read_text()
            try:
                return json.loads(note.read_text())
            except (FileNotFoundError, json.JSONDecodeError):
                return None  # not written, or not to its end

        info = wait_for(noted)
        found = Lab(info["url"], info["token"], process.pid)
        wait_for(lambda: shell("list").code == 0)
        yield found
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def session(shell, lab) -> str:
    shell.ok("submit", "shown", "--interactive", "--wait")
    return "shown"


def test_it_is_shown_by_the_lab_from_its_root(shell, session):
    spec = shell.json("describe", session)["spec"]
    assert (spec["base_url"], spec["folder"]) == (BASE_URL, str(shell.folder / "root"))


def test_open_prints_an_address_that_leads_to_it(shell, lab, session):
    url = shell.ok("open", session).strip()
    assert url.startswith(lab.url + "gpuquota/s/")
    assert lab.token not in url
    _, answer = lab.ask(f"{url}api/status")
    assert answer["connections"] == 0


def test_a_browser_is_opened_where_there_is_one(shell, session):
    seen = shell.folder / "seen"
    browser = shell.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    shell.more["BROWSER"] = str(browser)
    try:
        url = shell.ok("open", session)
        wait_for(seen.exists)
        assert wait_for(seen.read_text) == url
        seen.unlink()
        shell.ok("open", session, "--no-browser")
        assert not seen.exists()
    finally:
        shell.more.clear()


def test_the_list_tells_the_address_and_never_a_token(shell, lab, session):
    out = shell.ok("list")
    assert lab.url in out
    assert lab.token not in out


def test_a_port_that_it_does_not_expose(shell, session):
    ran = shell("open", session, "--port", "6006")
    assert ran.code == 2
    assert "does not expose port 6006" in ran.err


def test_what_does_not_run_is_not_opened(shell, lab):
    shell.ok("submit", "done", "--wait", "--", "true")
    assert shell("open", "done").code == 4


class TestThroughTheServer:
    """The way for whoever is not on this machine, or whose sessions are not."""

    @pytest.fixture
    def client(self, lab, preferred) -> Client:
        return Client(f"{lab.url}lab?token={lab.token}")

    def test_it_is_the_same_client(self, client, session):
        assert client.about().backend == "local"
        assert [s.spec.name for s in client.sessions.list(state="running")] == [session]
        assert client.sessions.exec(session, ["echo", "hi"]).output == "hi\n"
        events = list(client.sessions.exec_stream(session, ["sh", "-c", "echo hi; exit 3"]))
        assert "".join(event.output for event in events) == "hi\n"
        assert events[-1].result.exit_code == 3
        assert "Jupyter Server" in client.sessions.logs(session)
        with pytest.raises(NotFound):
            client.sessions.get("nothing")

    def test_the_server_fills_in_what_is_at_home_there(self, client, shell):
        (shell.folder / "root" / "sub").mkdir()
        made = client.sessions.submit("through", folder="sub", command=["true"])
        assert made.spec.base_url == BASE_URL
        assert made.spec.folder == str(shell.folder / "root" / "sub")

    def test_a_program_is_ended_when_nobody_listens_any_more(self, client, session):
        script = "echo $$; exec sleep 600"
        events = client.sessions.exec_stream(session, ["sh", "-c", script])
        running = psutil.Process(int(next(events).output))
        events.close()
        wait_for(lambda: not running.is_running())

    def test_an_interrupt_of_the_shell_ends_the_program(self, shell, lab, session):
        main = (
            "import sys; from jupyter_gpuquota import Client; from jupyter_gpuquota.ui import cli;"
            "words = cli.parse(sys.argv[2:], terminal=True);"
            "cli.run(Client(sys.argv[1]), words, cli.Terminal())"
        )
        script = "echo $$; exec sleep 600"
        words = ["exec", session, "--", "sh", "-c", script]
        command = [sys.executable, "-c", main, f"{lab.url}?token={lab.token}", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            running = psutil.Process(int(process.stdout.readline()))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        assert process.returncode
        wait_for(lambda: not running.is_running())

    def test_a_terminal_elsewhere_cannot_be_inside(self, client, session):
        with pytest.raises(Unsupported):
            client.run(programs.inside(client.context, session))

    @pytest.mark.parametrize("token", ["", "wrong"])
    def test_without_its_token_nobody_gets_in(self, lab, token):
        with pytest.raises(NotAllowed):
            Client(lab.url, token).about()

    def test_another_base_url_is_no_server_of_ours(self, lab):
        other = lab.url.replace(BASE_URL, "/user/you/")
        with pytest.raises(NoServer):
            Client(other, lab.token).about()

    def test_a_kernel_of_it_finds_it_without_our_variable(self, lab, shell, monkeypatch):
        monkeypatch.delenv("GPUQUOTA_STATE_DIR", raising=False)
        monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(shell.folder / "runtime"))
        monkeypatch.setenv("JPY_PARENT_PID", str(lab.pid))
        found = discovery.find()
        assert isinstance(found, HttpTransport)
        assert found.url == lab.url


def test_its_kernels_are_given_the_folder_of_the_controller(shell, lab):
    status, _ = lab.ask(f"{lab.url}api/kernels", {"name": "python3"})
    assert status == 201
    marked = f"GPUQUOTA_STATE_DIR={shell.folder / 'state'}"
    kernels = wait_for(lambda: kernels_of(lab.pid))
    assert all(marked in kernel for kernel in kernels)


def kernels_of(pid: int) -> list[list[str]]:
    """Return the environments of the kernels of a server."""
    children = psutil.Process(pid).children()
    found = [c for c in children if "ipykernel_launcher" in " ".join(c.cmdline())]
    return [[f"{name}={value}" for name, value in c.environ().items()] for c in found]
