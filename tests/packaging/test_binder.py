"""The steps of binder/ work in a clean environment, behind the base URL that a hub gives."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from scripts.ports import free_port
from tests.packaging.clean import ROOT, copy_sources, make_environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen

    from tests.packaging.clean import Environment

pytestmark = pytest.mark.rare
START_SECONDS = 120


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Provide a short path: that of a unix socket has to fit into 107 bytes."""
    with TemporaryDirectory(prefix="gpuquota-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def image(folder: Path) -> Environment:
    """Do what repo2docker does to build the image."""
    sources = copy_sources(folder / "home")
    environment = make_environment(folder, system_programs=True)
    environment.run("pip", "install", "--quiet", "-r", "binder/requirements.txt", cwd=sources)
    build = subprocess.run(
        [sources / "binder" / "postBuild"],
        cwd=sources,
        env=environment.variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stdout
    return environment


class Hub:
    """Requests to a server as a hub's proxy sends them for its user."""

    def __init__(self, port: int, token: str) -> None:
        self.url = f"http://127.0.0.1:{port}/user/demo/"
        self.token = token

    def get(self, path: str) -> tuple[int, bytes]:
        headers = {"Authorization": f"token {self.token}"}
        with urlopen(Request(self.url + path, headers=headers), timeout=30) as answer:  # noqa: S310
            return answer.status, answer.read()

    def wait(self, server: Popen[bytes], log: Path) -> None:
        """Wait until the server answers; say what it said if it does not."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and server.poll() is None:
            try:
                self.get("api")
            except (URLError, ConnectionError, TimeoutError):
                time.sleep(0.2)
            else:
                return
        pytest.fail(log.read_text(encoding="utf-8", errors="replace"))


@pytest.fixture(scope="module")
def hub(image: Environment, folder: Path) -> Iterator[Hub]:
    """Start the demo with binder/start, under the user's base URL."""
    hub, log = Hub(free_port(), secrets.token_hex(16)), folder / "log"
    variables = {**image.variables, "JUPYTER_TOKEN": hub.token, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "scripts.contained", "binder/start", "env", "-u", "PYTHONPATH"]
    command += [str(image.folder / "bin" / "jupyter"), "lab", "--no-browser", "--ip=127.0.0.1"]
    command += [f"--port={hub.url.split(':')[2].split('/')[0]}", "--ServerApp.base_url=/user/demo/"]
    command += ["--allow-root"] if os.geteuid() == 0 else []
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=folder / "home", env=variables, stdout=output, stderr=output
        )
        try:
            hub.wait(server, log)
            yield hub
        finally:
            server.terminate()
            server.wait()


def test_jupyterlab_answers_behind_the_base_url(hub):
    status, page = hub.get("lab")
    assert status == 200
    assert b"/user/demo/" in page


def test_the_api_answers_behind_the_base_url(hub):
    status, body = hub.get("gpuquota/api/about")
    assert status == 200
    assert json.loads(body)["version"]


def test_the_demo_has_data_volumes_and_snapshots(hub):
    deadline = time.monotonic() + START_SECONDS
    names = {"datasets": {"shapes"}, "volumes": {"scratch"}, "snapshots": {"shapes-baseline"}}
    found: dict[str, set[str]] = {}
    while found != names and time.monotonic() < deadline:
        time.sleep(0.5)
        for noun in names:
            status, body = hub.get(f"gpuquota/api/{noun}")
            assert status == 200
            found[noun] = {each["name"] for each in json.loads(body)["items"]}
    assert found == names


def test_the_gpus_are_the_simulated_ones_of_the_demo(hub):
    _, body = hub.get("gpuquota/api/about")
    assert "simulated" in body.decode()
