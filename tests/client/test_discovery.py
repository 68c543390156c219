"""Which servers are tried, in which order, and the error if none responds."""

from __future__ import annotations

import json
import os

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.client.connection import discovery, servers
from jupyter_gpuquota.client.connection.transport import HttpTransport, SocketTransport, split_url
from jupyter_gpuquota.environ import BACKEND, SESSION, STATE_DIR
from jupyter_gpuquota.errors import LaunchedElsewhere, NoServer
from jupyter_gpuquota.hosting.config_files import Choice
from jupyter_gpuquota.hosting.locate import Location


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """Simulate a process that no Jupyter has started."""
    names = (
        SESSION,
        STATE_DIR,
        BACKEND,
        "JPY_PARENT_PID",
        "JUPYTER_SERVER_URL",
        "JUPYTERHUB_SERVICE_URL",
    )
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "runtime").mkdir()


@pytest.fixture
def note(tmp_path):
    """Write the note that a Jupyter Server keeps of itself."""

    def note(pid: int | None = None, **changed):
        info = {
            "url": "http://127.0.0.1:1/",
            "base_url": "/",
            "token": "secret",
            "sock": "",
            "pid": pid or os.getpid(),
            **changed,
        }
        path = tmp_path / "runtime" / f"jpserver-{info['pid']}.json"
        path.write_text(json.dumps(info))
        return path

    return note


def test_what_is_named_is_taken(tmp_path):
    assert isinstance(discovery.find(url="http://127.0.0.1:1/"), HttpTransport)
    found = discovery.find(named=Choice(state_dir=str(tmp_path)), read=Choice)
    assert isinstance(found, SocketTransport)
    assert found.location == Location(tmp_path)


def test_the_environment_of_our_kernels_comes_before_their_server(monkeypatch, note, tmp_path):
    note()
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    monkeypatch.setenv(STATE_DIR, str(tmp_path))
    assert discovery.find(read=Choice).location == Location(tmp_path)


def test_a_backend_is_chosen_before_any_server(monkeypatch, note, tmp_path):
    note()
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    home = tmp_path / "data" / "gpuquota"
    assert discovery.find(named=Choice("other"), read=Choice).location == Location(home, "other")
    monkeypatch.setenv(BACKEND, "another")
    assert discovery.find(read=Choice).location == Location(home, "another")


def test_a_server_without_us_is_passed_over_and_told_of(monkeypatch, note):
    note()
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    found = discovery.find(read=Choice, start=False)
    assert isinstance(found, SocketTransport)
    with pytest.raises(NoServer) as caught:
        Client(transport=found).about()
    assert "No controller is running" in caught.value.message
    assert "Tried before: http://127.0.0.1:1/" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_in_a_pod_nothing_is_started(monkeypatch, note, tmp_path):
    note()
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    monkeypatch.setenv(SESSION, "s1")
    with pytest.raises(LaunchedElsewhere) as caught:
        Client(read=Choice).about()
    assert str(caught.value) == (
        "This session was launched from another machine.\nManage sessions there."
    )
    assert not (tmp_path / "data").exists()


def test_the_server_of_a_kernel_a_terminal_or_a_hub(note):
    assert servers.parent({}) is None
    note(base_url="/user/me/", url="http://127.0.0.1:1/user/me/")
    of_kernel = servers.parent({"JPY_PARENT_PID": str(os.getpid())})
    of_terminal = servers.parent({"JUPYTER_SERVER_URL": "http://127.0.0.1:1/user/me/"})
    assert of_kernel == of_terminal
    assert "secret" in of_kernel.token
    assert servers.parent({"JUPYTER_SERVER_URL": "http://127.0.0.1:2/"}) is None
    assert servers.parent({"JPY_PARENT_PID": "../../x"}) is None


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ("http://0.0.0.0:8888/user/me/", "http://127.0.0.1:8888/user/me/"),
        ("http://:8888/user/me/", "http://127.0.0.1:8888/user/me/"),
        ("http://[::]:8888/user/me/", "http://127.0.0.1:8888/user/me/"),
        ("http://10.0.0.7:8888/user/me/", "http://10.0.0.7:8888/user/me/"),
    ],
)
def test_a_hub_says_where_a_server_listens(given, reached):
    environ = {"JUPYTERHUB_SERVICE_URL": given, "JUPYTERHUB_API_TOKEN": "secret"}
    assert servers.of_hub(environ).url == reached
    assert servers.of_hub({"JUPYTERHUB_SERVICE_URL": given}) is None


def test_notes_of_the_dead_and_damaged_ones_do_not_count(note, tmp_path):
    note(pid=2**22 + 1)
    (tmp_path / "runtime" / "jpserver-7.json").write_text('{"pid": 7')
    (tmp_path / "runtime" / "jpserver-8.json").write_text("[]")
    assert servers.running() == []


def test_a_token_is_never_shown(note):
    note()
    assert "secret" not in repr(servers.running())


@pytest.mark.parametrize(
    ("own", "outer"),
    [
        ("/", "/"),
        ("/user/me/", "/user/me/"),
        ("/gpuquota/s/abc/", "/"),
        ("/user/me/gpuquota/s/abc/", "/user/me/"),
        ("/user/me/gpuquota/s/abc/gpuquota/s/def/", "/user/me/"),
    ],
)
def test_inside_a_session_the_outer_lab_shows_new_ones(own, outer):
    server = servers.JupyterServer(url="http://x/", base_url=own)
    assert server.outer_base_url == outer


def test_inside_a_session_the_servers_of_the_account_are_found_too(monkeypatch, note, tmp_path):
    of_account = tmp_path / "data" / "runtime" / "jpserver-1.json"
    of_account.parent.mkdir(parents=True)
    note(base_url="/user/me/").rename(of_account)
    assert servers.running() == []
    monkeypatch.setenv("GPUQUOTA_SESSION", "abc")
    assert [server.base_url for server in servers.running()] == ["/user/me/"]


def test_home_is_the_server_that_one_is_in(monkeypatch, note):
    assert discovery.find_home() == discovery.Home()
    note(base_url="/user/me/gpuquota/s/abc/")
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    assert discovery.find_home() == discovery.Home("/user/me/")


def test_a_server_without_us_shows_no_session(monkeypatch, note):
    note(base_url="/user/me/")
    monkeypatch.setenv("JPY_PARENT_PID", str(os.getpid()))
    assert discovery.find_home() == discovery.Home()


@pytest.mark.parametrize(
    ("copied", "base", "token"),
    [
        ("http://localhost:8888", "http://localhost:8888/", ""),
        ("http://localhost:8888/lab?token=abc", "http://localhost:8888/", "abc"),
        ("https://hub/user/me/lab/tree/a.ipynb", "https://hub/user/me/", ""),
        ("https://hub/user/me/tree?token=abc", "https://hub/user/me/", "abc"),
        ("https://hub/user/lab-rat/", "https://hub/user/lab-rat/", ""),
    ],
)
def test_an_address_may_be_copied_from_a_browser(copied, base, token):
    assert split_url(copied) == (base, token)


@pytest.mark.parametrize("text", ["", "localhost:8888", "ftp://x/", "http://", "file:///etc"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(NoServer, match="not the URL"):
        split_url(text)


def test_nobody_at_an_address_is_said_plainly():
    with pytest.raises(NoServer, match=r"http://127\.0\.0\.1:1/ does not answer"):
        Client("http://127.0.0.1:1/lab?token=secret").about()
