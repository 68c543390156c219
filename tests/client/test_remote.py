"""The client and a controller at a URL: how it is found and queried."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jupyter_gpuquota.client import Client
from jupyter_gpuquota.client.connection import discovery
from jupyter_gpuquota.client.connection.transport import RemoteTransport, SocketTransport
from jupyter_gpuquota.environ import CA, TOKEN_FILE, URL
from jupyter_gpuquota.errors import NoServer, NotAuthenticated
from jupyter_gpuquota.hosting.config_files import Choice
from jupyter_gpuquota.hosting.remote import HUB_TOKEN, Remote, in_environment, is_loopback
from jupyter_gpuquota.hosting.start import clean_environment
from tests.controller.hosted import Hosted, hosted
from tests.waiting import patience


@contextmanager
def beside(folder: Path) -> Iterator[Hosted]:
    """A controller whose loop runs in a thread: the client blocks."""
    ready, leave = threading.Event(), asyncio.Event()
    found: list[object] = []

    async def run() -> None:
        async with hosted(folder) as controller:
            found.extend([controller, asyncio.get_running_loop()])
            ready.set()
            await leave.wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    try:
        assert ready.wait(patience())
        yield found[0]
    finally:
        found[1].call_soon_threadsafe(leave.set)
        thread.join()


@pytest.fixture
def controller(tmp_path) -> Iterator[Hosted]:
    with beside(tmp_path) as controller:
        yield controller


@pytest.fixture
def named(controller, tmp_path, monkeypatch) -> Path:
    """Set the controller's URL in the environment; return the file with the token."""
    token = tmp_path / "token"
    token.write_text("ana-token\n")
    monkeypatch.setenv(URL, controller.url)
    monkeypatch.setenv(CA, str(controller.files.ca))
    monkeypatch.setenv(TOKEN_FILE, str(token))
    return token


def test_the_client_finds_it_by_the_environment(named):
    client = Client(project="team-a")
    assert client.about().user == "ana"
    client.sessions.submit("exp-1", gpu=0.5)
    assert [session.owner for session in client.sessions.list()] == ["ana"]


def test_what_a_program_prints_comes_through(named):
    client = Client(project="team-a")
    client.sessions.submit("exp-1", gpu=0.5)
    events = list(client.sessions.exec_stream("exp-1", ["echo", "hi"]))
    assert [event.output for event in events] == ["echo hi\n", ""]
    leaving = client.sessions.exec_stream("exp-1", ["echo", "hi"])
    assert next(leaving).output == "echo hi\n"
    leaving.close()


def test_a_renewed_token_counts_at_once(named):
    client = Client()
    assert client.about().user == "ana"
    named.write_text("li-token")
    assert client.about().user == "li"


def test_in_a_hubs_server_the_hubs_token_is_sent(named, monkeypatch):
    monkeypatch.delenv(TOKEN_FILE)
    monkeypatch.setenv(HUB_TOKEN, "bo-token")
    assert Client().about().user == "bo"


def test_an_unknown_token_is_told_and_not_shown(named):
    named.write_text("stranger-token")
    with pytest.raises(NotAuthenticated) as caught:
        Client().about()
    assert "stranger-token" not in str(caught.value)


def test_an_unknown_authority_is_not_trusted(named, monkeypatch):
    monkeypatch.delenv(CA)
    with pytest.raises(NoServer, match="not trusted") as caught:
        Client().about()
    assert CA in caught.value.hint


def test_a_controller_that_is_not_there_is_named_with_what_to_do(named, monkeypatch):
    monkeypatch.setenv(URL, "https://127.0.0.1:1")
    with pytest.raises(NoServer, match="does not answer") as caught:
        Client().about()
    assert "Check the address" in caught.value.hint


def test_what_is_named_wins_over_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv(URL, "https://gpu.example")
    assert isinstance(discovery.find(), RemoteTransport)
    found = discovery.find(named=Choice("memory", str(tmp_path)))
    assert isinstance(found, SocketTransport)
    monkeypatch.setenv("GPUQUOTA_STATE_DIR", str(tmp_path))
    assert isinstance(discovery.find(), RemoteTransport)


def test_a_controller_of_this_machine_and_its_sessions_know_nothing_of_it(tmp_path, monkeypatch):
    found = discovery.find(named=Choice("memory", str(tmp_path)))
    names = {
        URL: "https://gpu.example",
        TOKEN_FILE: "/t",
        CA: "/c",
        HUB_TOKEN: "secret",
        "HOME": "/",
    }
    kept = clean_environment(names, found.location)
    assert kept == {"HOME": "/", **found.location.environment}


def test_nothing_named_is_nothing_found():
    assert in_environment({}) is None
    assert in_environment({TOKEN_FILE: "/token", CA: "/ca"}) is None


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("https://gpu.example", "gpu.example", 443, ""),
        ("https://gpu.example:8443/", "gpu.example", 8443, ""),
        ("https://gpu.example/services/gpuquota/", "gpu.example", 443, "/services/gpuquota"),
        ("http://127.0.0.1:8080", "127.0.0.1", 8080, ""),
        ("http://localhost", "localhost", 80, ""),
        ("https://[2001:db8::1]:1", "2001:db8::1", 1, ""),
    ],
)
def test_where_it_is(url, host, port, path):
    remote = in_environment({URL: url})
    assert (remote.host, remote.port, remote.path) == (host, port, path)
    assert (remote.tls() is None) is url.startswith("http:")


@pytest.mark.parametrize(
    "url",
    [
        "http://gpu.example",
        "http://192.0.2.1:8080",
        "http://127.0.0.1.example",
        "ftp://gpu.example",
        "gpu.example",
        "https://",
        "https://:8443",
        "https://ana:secret@gpu.example",
        "https://gpu.example/?token=secret",
        "https://gpu.example/#secret",
        "https://gpu.example:secret",
        "https://gpu.example:99999",
        "https://[gpu.example",
        "https://gpu.example/a b secret",
        "https://gpu.example/\r\nX: secret",
    ],
)
def test_a_token_goes_nowhere_else_and_the_url_is_not_shown(url):
    with pytest.raises(NoServer, match=URL) as caught:
        Remote(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_this_machine(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    ["", "192.0.2.1", "0.0.0.0", "::", "localhost.example", "2130706433"],  # noqa: S104 (not bound)
)
def test_other_machines(host):
    assert not is_loopback(host)
