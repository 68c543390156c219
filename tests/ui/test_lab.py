"""Beside a Jupyter Server with our extension: addresses of sessions, and requests through it."""

from __future__ import annotations

import psutil
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.client.connection import discovery
from jupyter_gpuquota.client.connection.transport import HttpTransport
from jupyter_gpuquota.errors import NoServer, NotAllowed, NotFound
from tests.chosen import chosen
from tests.shell import wait_for
from tests.ui.lab import BASE_URL, lab, session, through

__all__ = ["lab", "session", "through"]


def test_open_prints_the_address_of_the_session(shell, lab, session):
    assert shell.json("describe", session)["spec"]["base_url"] == BASE_URL
    url = shell.ok("open", session).strip()
    assert url.startswith(lab.url + "gpuquota/s/")
    assert lab.token not in url
    assert lab.read(url)[0] == 200


def test_a_browser_opens_if_available(shell, session):
    seen = shell.folder / "seen"
    browser = shell.folder / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    shell.more["BROWSER"] = str(browser)
    try:
        url = shell.apart("open", session).out
        wait_for(seen.exists)
        assert wait_for(seen.read_text) == url
        seen.unlink()
        shell.apart("open", session, "--no-browser")
        assert not seen.exists()
    finally:
        shell.more.clear()


def test_the_list_shows_addresses_without_tokens(shell, lab, session):
    out = shell.ok("list")
    assert lab.url in out
    assert lab.token not in out


def test_a_port_that_is_not_exposed_is_refused(shell, session):
    ran = shell("open", session, "--port", "6006")
    assert ran.code == 2
    assert "does not expose port 6006" in ran.err


def test_only_running_sessions_open(shell, lab):
    shell.ok("submit", "ended", "--wait", "--", "sleep", "600")
    shell.ok("stop", "ended", "--wait")
    assert shell("open", "ended").code == 4


class TestThroughTheServer:
    """Requests from another machine, or to sessions on another machine."""

    def test_it_is_the_same_client(self, through, session):
        assert through.about().backend == chosen()
        assert [s.spec.name for s in through.sessions.list(state="running")] == [session]
        with pytest.raises(NotFound):
            through.sessions.get("nothing")

    def test_sessions_appear_on_the_server_that_launched_them(self, through):
        made = through.sessions.submit("through", command=["true"])
        assert made.spec.base_url == BASE_URL

    @pytest.mark.parametrize("token", ["", "wrong"])
    def test_a_wrong_token_is_refused(self, lab, token):
        with pytest.raises(NotAllowed):
            Client(lab.url, token).about()

    def test_a_wrong_base_url_is_refused(self, lab):
        other = lab.url.replace(BASE_URL, "/user/you/")
        with pytest.raises(NoServer):
            Client(other, lab.token).about()

    def test_its_kernels_find_it_without_our_variable(self, lab, shell, monkeypatch):
        for name in ("GPUQUOTA_STATE_DIR", "JUPYTER_GPUQUOTA_BACKEND"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(shell.folder / "runtime"))
        monkeypatch.setenv("JPY_PARENT_PID", str(lab.pid))
        found = discovery.find()
        assert isinstance(found, HttpTransport)
        assert found.url == lab.url


def test_its_kernels_know_the_state_folder(shell, lab):
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
