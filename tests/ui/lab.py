"""A Jupyter Server with our extension beside a shell."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from jupyter_gpuquota import Client
from tests.shell import Shell, wait_for
from tests.waiting import patience

BASE_URL = "/user/me/"


@dataclass(frozen=True)
class Lab:
    """A Jupyter Server that runs beside the shell."""

    url: str
    token: str
    pid: int

    def ask(self, url: str, body: Any = None) -> tuple[int, Any]:
        """Send a request with its token, a POST if it has a body; return status and answer."""
        status, text = self.read(url, None if body is None else json.dumps(body).encode())
        return status, json.loads(text)

    def read(self, url: str, data: bytes | None = None) -> tuple[int, str]:
        """Return the status and the text of an answer."""
        headers = {"Authorization": f"token {self.token}"}
        with urlopen(Request(url, data, headers), timeout=patience()) as answer:  # noqa: S310 (our own)
            return answer.status, answer.read().decode()


@contextmanager
def serving(shell: Shell) -> Iterator[Lab]:
    """Run a Jupyter Server beside the shell; it may have ended before the block does."""
    root = shell.folder / "root"
    root.mkdir(exist_ok=True)
    env = {name: value for name, value in shell.env.items() if name != "GPUQUOTA_STATE_DIR"}
    command = [shell.python, "-m", "jupyter_server", "--no-browser", "--port=0"]
    settings = [
        "--allow-root",
        f"--ServerApp.root_dir={root}",
        f"--ServerApp.base_url={BASE_URL}",
        f"--GpuQuota.state_dir={shell.folder / 'state'}",
        "--ServerApp.jpserver_extensions={'jupyter_gpuquota': True}",
    ]
    with (shell.folder / "server.log").open("a") as log:
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
def lab(shell: Shell) -> Iterator[Lab]:
    """A Jupyter Server with our extension, behind a base URL."""
    with serving(shell) as lab:
        yield lab


@pytest.fixture(scope="module")
def session(shell: Shell, lab: Lab) -> str:
    """The name of a session that the server shows."""
    shell.ok("submit", "shown", "--interactive", "--wait")
    return "shown"


@pytest.fixture
def through(lab: Lab, preferred: Path) -> Client:
    """A client of the server."""
    return Client(f"{lab.url}lab?token={lab.token}")
