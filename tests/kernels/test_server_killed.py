"""A Jupyter Server that is killed while a cell runs in a session's kernel, and started again."""

from __future__ import annotations

import json
import os
import signal
from uuid import uuid4

import psutil
import pytest
import websocket

from jupyter_gpuquota.kernels.session_server import SessionServer
from tests.kernels.test_relay import kernels
from tests.shell import wait_for
from tests.ui.lab import serving
from tests.waiting import patience

CELL = """
import os, time
print('so far', flush=True)
while not os.path.exists({file!r}):
    time.sleep(0.02)
print('the rest', flush=True)
kept = {kept}
"""


class Page:
    """A notebook as a page of JupyterLab has it: its kernel, over the server's WebSocket."""

    def __init__(self, lab, path="a.ipynb", kernel="gpu-exp-1"):
        kernel = {"name": kernel}
        asked = {"path": path, "name": path, "type": "notebook", "kernel": kernel}
        _status, made = lab.ask(f"{lab.url}api/sessions", asked)
        self.kernel = made["kernel"]["id"]
        url = lab.url.replace("http:", "ws:")
        token = [f"Authorization: token {lab.token}"]
        self._socket = websocket.create_connection(
            f"{url}api/kernels/{self.kernel}/channels", timeout=patience(), header=token
        )
        self._session = uuid4().hex
        # The kernel answers on its control channel while it runs a cell.
        asked = self.send("kernel_info_request", {}, channel="control")
        reply = self.until(lambda m: m["msg_type"] == "kernel_info_reply", asked)[-1]
        assert "session" in reply["content"]["gpuquota"]

    def send(self, kind, content, channel="shell"):
        header = {"msg_id": uuid4().hex, "msg_type": kind, "version": "5.3"}
        header |= {"session": self._session, "username": "", "date": "2030-01-01T00:00:00Z"}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self._socket.send(json.dumps({**message, "channel": channel, "buffers": []}))
        return header["msg_id"]

    def run(self, code):
        return self.send("execute_request", {"code": code, "silent": False, "allow_stdin": False})

    def until(self, done, asked):
        """Return the messages about a request, up to the first one that is `done`."""
        found = []
        while not (found and done(found[-1])):
            message = json.loads(self._socket.recv())
            if message["parent_header"].get("msg_id") == asked:
                found.append(message)
        return found

    def output(self, asked):
        """Return what a cell prints from now on to its end."""
        found = self.until(is_idle, asked)
        return "".join(m["content"]["text"] for m in found if m["msg_type"] == "stream")

    def close(self):
        self._socket.close()


def is_idle(message):
    return message["content"].get("execution_state") == "idle"


def says(text):
    return lambda message: text in message["content"].get("text", "")


def kill(lab, page):
    """Kill a server, and wait until its relay has seen that."""
    relays = relays_of(page)
    assert relays
    os.kill(lab.pid, signal.SIGKILL)
    page.close()
    psutil.wait_procs(relays, timeout=patience())
    assert not relays_of(page)


def relays_of(page):
    lines = ((p, p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"]))
    return [
        p
        for p, line in lines
        if "jupyter_gpuquota.kernels" in line and f"kernel-{page.kernel}.json" in line[-1]
    ]


@pytest.fixture
def end(shell, client, session, request):
    """The file for which a test's cell waits; its kernels are shut down afterwards."""
    yield shell.folder / f"end-{request.node.name}"
    server = SessionServer.find(client.context, session.id)
    for each in server.sessions():
        server.shut_down(each.kernel.id)
    wait_for(lambda: not kernels(client, session))


def offered(lab, name="gpu-exp-1"):
    """Wait until the server offers a kernel of ours."""
    wait_for(lambda: name in lab.ask(f"{lab.url}api/kernelspecs")[1]["kernelspecs"])


def test_the_next_server_finds_the_cell_and_its_output_goes_on(shell, client, session, end):
    with serving(shell) as lab:
        offered(lab)
        page = Page(lab)
        asked = page.run(CELL.format(file=str(end), kept=41))
        page.until(says("so far"), asked)
        (before,) = kernels(client, session)
        kill(lab, page)
    assert client.sessions.get("exp-1").state == "running"
    assert kernels(client, session) == [before]
    with serving(shell) as lab:
        page = Page(lab)
        end.touch()
        assert page.output(asked) == "the rest\n"
        assert page.output(page.run("print(kept + 1)")) == "42\n"
        page.close()
    assert kernels(client, session) == [before]
    assert client.sessions.get("exp-1").run == session.run


def test_a_cell_that_ended_meanwhile_has_left_its_variables(shell, client, session, end):
    with serving(shell) as lab:
        offered(lab)
        page = Page(lab)
        asked = page.run(CELL.format(file=str(end), kept=20))
        page.until(says("so far"), asked)
        kill(lab, page)
    server = SessionServer.find(client.context, session.id)
    (kernel,) = (each.kernel for each in server.sessions())
    end.touch()
    wait_for(lambda: server.kernel(kernel.id).execution_state == "idle")
    with serving(shell) as lab:
        page = Page(lab)
        assert page.output(page.run("print(kept + 1)")) == "21\n"
        page.close()


def test_the_notebook_of_a_template_finds_its_session_again(shell, client, session):
    shell.ok("template", "save", "small", "--interactive", "-g", "0.25", "--folder", ".")
    with serving(shell) as lab:
        offered(lab, "gpu-new-small")
        page = Page(lab, "on-a-template.ipynb", "gpu-new-small")
        page.output(page.run("kept = 41"))
        page.close()
    with serving(shell) as lab:
        page = Page(lab, "on-a-template.ipynb", "gpu-new-small")
        assert page.output(page.run("print(kept + 1)")) == "42\n"
        page.close()
    (found,) = (s for s in client.sessions.list() if s.spec.name.startswith("small-"))
    assert (found.state, found.run) == ("running", 1)
