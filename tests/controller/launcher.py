"""Controllers that listen on a socket, as processes of their own."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.hosting.start import REFUSED
from jupyter_gpuquota.hosting.unix import UnixConnection
from tests.chosen import location, settings
from tests.waiting import patience


class Launcher:
    """Controllers of the chosen backend on one state folder, which all end with a test."""

    def __init__(self, state_dir: Path, flag: str = "--state-dir") -> None:
        self.state_dir = state_dir
        self.flag = flag
        self.processes: list[subprocess.Popen[str]] = []

    @property
    def location(self) -> Location:
        return location(self.state_dir)

    def start(self, *more: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        module = "jupyter_gpuquota.controller"
        arguments = (*flags(), f"{self.flag}={self.state_dir}", *more)
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
        )
        self.processes.append(process)
        return process

    def refused(self, *more: str, env: dict[str, str] | None = None) -> str:
        """Return the output of a controller that does not start."""
        process = self.start(*more, env=env)
        said, _ = process.communicate(timeout=patience())
        assert process.returncode in (REFUSED, 1)  # traitlets exits with 1
        assert "Traceback" not in said
        return said

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = UnixConnection(self.location.socket, patience())
        try:
            connection.request(method, f"/gpuquota{path}", json.dumps(body or {}))
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def answering(self) -> dict[str, Any]:
        """Wait until a controller responds; return its pid."""

        def about() -> Any:
            try:
                return self.ask("GET", "/api/about")[1]
            except (OSError, http.client.HTTPException):
                return None

        return eventually(about)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()


def flags() -> list[str]:
    """Return the flags of two nodes and a team."""
    chosen = settings(projects=[{"name": "team-a", "quota": "2"}])
    named = ((section, *item) for section, values in chosen.items() for item in values.items())
    return [f"--{section}.{name}={value}" for section, name, value in named]


def eventually(happens: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + patience()
    while time.monotonic() < deadline:
        if found := happens():
            return found
        time.sleep(0.02)
    pytest.fail("It did not happen.")


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.close()
