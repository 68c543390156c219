"""A Jupyter Server elsewhere, known by URL and token: its ingress leads to the kernels."""

from __future__ import annotations

import threading
from urllib.parse import urlsplit

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_gpuquota import Client
from jupyter_gpuquota.environ import TOKEN_FILE, URL
from jupyter_gpuquota.kernels.attach import attach
from jupyter_gpuquota.kernels.notebook import Notebook
from jupyter_gpuquota.kernels.place import SessionPlace
from jupyter_gpuquota.kernels.session_server import SessionServer
from tests.kernels.conftest import relayed
from tests.kernels.conftest import run as run_there
from tests.kernels.conftest import text as text_there
from tests.kernels.network import Network
from tests.kernels.test_cells import ipython
from tests.kernels.test_relay import Relays, run, text
from tests.kernels.test_websocket import cut_in_a_cell, cut_in_a_cell_here
from tests.shell import Shell
from tests.ui.lab import serving
from tests.waiting import patience

__all__ = ["ipython"]

NAMED = """
from jupyter_server.auth import PasswordIdentityProvider, User


class Named(PasswordIdentityProvider):
    def generate_anonymous_user(self, handler):
        return User("ana")


c.ServerApp.identity_provider_class = Named
"""


@pytest.fixture(scope="module")
def lab(shell):
    """A server whose user has a name, as behind JupyterHub: every request comes from the same."""
    (shell.folder / "config" / "jupyter_server_config.py").write_text(NAMED)
    with serving(shell) as lab:
        yield lab


@pytest.fixture(scope="module")
def network(lab):
    """A network that breaks, between this machine and the server."""
    found = Network(urlsplit(lab.url).port)
    yield found
    found.close()


@pytest.fixture(scope="module")
def distant_url(lab, network):
    """The address of the server behind the network."""
    return lab.url.replace(f":{urlsplit(lab.url).port}/", f":{network.port}/")


@pytest.fixture(scope="module")
def distant_client(away, lab, distant_url):
    """A client whose every request passes through the network."""
    return Client(distant_url, lab.token)


@pytest.fixture(scope="module")
def distant(distant_client):
    """A relay whose every request passes through the network."""
    with relayed(SessionPlace(distant_client, "exp-1", Notebook("", "a-key", "/"))) as relay:
        run(relay, "'in another folder'")  # the first cell says so
        yield relay


@pytest.fixture(scope="module")
def client(lab):
    return Client(lab.url, lab.token)


@pytest.fixture(scope="module")
def away(shell, lab):
    """A shell that knows only the server's URL and a file with its token."""
    token = shell.folder / "token"
    token.write_text(lab.token)
    (shell.folder / "away").mkdir()
    more = {"GPUQUOTA_STATE_DIR": "", URL: lab.url, TOKEN_FILE: str(token)}
    more |= {"JUPYTER_DATA_DIR": str(shell.folder / "away"), "JUPYTER_CONFIG_PATH": ""}
    made = Shell(shell.folder, more)
    made.ok("submit", "exp-1", "-g", "0.5", "--interactive", "--wait")
    return made


@pytest.fixture
def start(away):
    """Start relays of the kernelspec that the shell installs."""
    away.ok("kernel", "install", "exp-1")
    folder = str(away.folder / "away" / "kernels")
    relays = Relays(away, KernelSpecManager(kernel_dirs=[folder], ensure_native_kernel=False))
    yield relays
    relays.close()


def test_a_notebook_here_runs_there(start, away, lab):
    _manager, ours = start()
    outputs, _ = run(ours, "import os\nprint(os.environ['GPUQUOTA_SHARE'])")
    assert text(outputs) == "0.5 GPU\n"
    outputs, _ = run(ours, "print('x' * 3_000_000)")
    assert len(text(outputs)) == 3_000_001
    (written,) = (away.folder / "away" / "kernels").glob("*/kernel.json")
    assert lab.token not in written.read_text()


def test_a_cell_of_this_notebook_runs_there(away, ipython, client, capsys):
    ipython.user_ns["data"] = bytearray(9 << 20)
    ipython.run_cell_magic("gpu", "exp-1 --in data --out size", "size = len(data)")
    assert ipython.user_ns["size"] == 9 << 20
    assert "sent: data 9.0 MiB" in capsys.readouterr().out


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("how", ["fall_silent", "refuse", "drop"])
def test_a_cell_goes_on_while_the_network_is_cut(distant, network, how, rounds, show):
    for seconds in (1, 30, 300)[: rounds(3, 1)]:
        show(f"{how} for {seconds} s", cut_in_a_cell(distant, network, how, seconds))


def test_nbclient_goes_on_while_the_network_is_cut(away, distant_url, network, monkeypatch):
    distant = Shell(away.folder, {**away.more, URL: distant_url})
    distant.ok("kernel", "install", "exp-1")

    def cut(cell, cell_index):
        threading.Timer(1, network.refuse).start()
        threading.Timer(3, network.recover).start()

    code = "import time\nfor n in range(40): print(n, flush=True); time.sleep(0.1)"
    notebook = new_notebook(cells=[new_code_cell("'ready'"), new_code_cell(code)])
    monkeypatch.setenv("JUPYTER_DATA_DIR", distant.env["JUPYTER_DATA_DIR"])
    patient = {"timeout": patience(), "startup_timeout": patience()}
    runner = NotebookClient(notebook, kernel_name="gpu-exp-1", **patient)
    with runner.setup_kernel(env=distant.env):
        runner.execute_cell(notebook.cells[0], 0)
        runner.on_cell_execute = cut
        runner.execute_cell(notebook.cells[1], 1)
    outputs = notebook.cells[1].outputs
    assert {output["name"] for output in outputs} == {"stdout"}
    assert "".join(output["text"] for output in outputs).split() == [str(n) for n in range(40)]


def test_more_is_kept_for_a_relay_than_for_a_page(distant, network):
    code = "print('begun', flush=True)\nimport time\ntime.sleep(2)\n"
    code += "for n in range(300): print(n, 'x' * 100_000, flush=True)"
    outputs = []

    def hear(message):
        if text([message]) == "begun\n":
            network.refuse()
            threading.Timer(5, network.recover).start()
        outputs.append(message)

    reply = distant.execute_interactive(code, timeout=patience(), output_hook=hear)
    assert reply["content"]["status"] == "ok", reply["content"]
    assert text(outputs, "stderr") == ""
    assert text(outputs).split()[1::2] == [str(n) for n in range(300)]


def test_a_cell_of_this_notebook_goes_on_while_the_network_is_cut(distant_client, network, capsys):
    cut_in_a_cell_here(distant_client, network, 2, capsys)


def test_the_token_is_in_headers_only(away, client):
    session = client.sessions.get("exp-1")
    endpoint = SessionServer.find(client.context, session.id).endpoint
    assert endpoint.base_url == f"/user/me/gpuquota/s/{session.id}/"
    assert (endpoint.runtime, endpoint.socket) == ("", "")
    kernel = attach(SessionServer.find(client.context, session.id), "elsewhere/b.ipynb")
    channels = kernel.channels()
    assert text_there(run_there(channels, "print(6 * 7)")) == "42\n"
    channels.close()
    kernel.shut_down()
