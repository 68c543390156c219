"""Jobs as processes, a lake in a folder, and a controller that a test plays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from jupyter_gpuquota.environ import TOKEN_FILE, URL
from jupyter_gpuquota.model.about import API_VERSION
from tests.store.conftest import folder, lake, large
from tests.store.s3.conftest import versitygw

__all__ = ["folder", "lake", "large", "versitygw"]

ROOT = Path(__file__).resolve().parents[2]
ABOUT = {
    "version": "1",
    "api": API_VERSION,
    "backend": "local",
    "user": "ana",
    "source": "none",
    "simulated": True,
    "capabilities": [],
}
NOW = "2026-01-01T00:00:00Z"


class Controller:
    """What a controller hears of jobs, and what it answers."""

    def __init__(self, token: Path) -> None:
        self.heard: list[dict[str, Any]] = []
        self.commits: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Any] = {"state": "running"}
        self.own_lake = False
        self.lake = self.cache = ""
        self.down = False
        self.asked = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = Thread(target=self._server.serve_forever)
        self._thread.start()
        url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self.environment = {URL: url, TOKEN_FILE: str(token)}

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def states(self) -> list[str]:
        """The states that were reported, repetitions left out."""
        found = [each["state"] for each in self.heard]
        return [each for each, last in zip(found, [None, *found], strict=False) if each != last]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the answer to a request."""
        self.asked += 1
        if self.down:
            return 503, {"code": "Unavailable", "message": "It is being restarted."}
        name = path.removeprefix("/gpuquota/api/")
        if name.startswith("jobs/"):
            self.heard.append(body)
            job = {"id": name.removeprefix("jobs/"), "started": NOW, "updated": NOW}
            return 200, {**job, "kind": body["kind"], **self.answers}
        if "/versions/" in name and not body:
            known = {"dataset": "faces", "id": name.rpartition("/")[2], "time": NOW}
            return 200, {**known, "files": 3, "size": 4321}
        if "/versions/" in name:
            self.commits.append((name.rpartition("/")[2], body))
            return 200, {"dataset": "faces", "id": self.commits[-1][0], "time": NOW}
        lake = self.lake if self.own_lake else "main"
        known = {"name": "faces", "lake": lake, "own_lake": self.own_lake}
        return 200, {
            "about": ABOUT,
            "lakes": {"items": [{"name": "main", "url": self.lake}]},
            "caches": {"folder": self.cache},
            "datasets/faces": {**known, "project": "team-a", "owner": "ana", "created": NOW},
        }[name]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        controller = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else {}
                status, answer = controller.answer(self.path, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_PUT = do_GET  # noqa: N815 (the name is http.server's)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def controller(tmp_path: Path, lake_url: str) -> Iterator[Controller]:
    token = tmp_path / "token"
    token.write_text("secret")
    one = Controller(token)
    one.lake, one.cache = lake_url, str(tmp_path / "cache")
    yield one
    one.close()


class Process:
    """The process of a job."""

    def __init__(self, words: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "jupyter_gpuquota.store", *words],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.pid = self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def end(self, timeout: float = 240) -> tuple[int, list[dict[str, Any]], str]:
        """Wait for its end; return its exit code, its lines, and its log."""
        out, log = self._process.communicate(timeout=timeout)
        return self._process.returncode, [json.loads(line) for line in out.splitlines()], log


Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start jobs; those that run at the end are killed."""
    started: list[Process] = []

    def run(*words: object, **environment: str) -> Process:
        cache = {"XDG_CACHE_HOME": str(tmp_path / "xdg")}
        started.append(Process([str(word) for word in words], {**cache, **environment}))
        return started[-1]

    yield run
    for one in started:
        if one.runs:
            one.signal(signal.SIGKILL)
        one.end()


@pytest.fixture
def lake_url(lake: object, tmp_path: Path) -> str:
    """Return the URL of the lake."""
    return f"file://{tmp_path}/lake"
