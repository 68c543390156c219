"""Runs of MLflow: read where the session runs, from a file or a server, and tagged."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from jupyter_gpuquota.control.runs.measured import ScriptRuns
from jupyter_gpuquota.core import tracking
from jupyter_gpuquota.model.datasets.mounts import DataMount
from tests.builders import make_session

pytestmark = pytest.mark.asyncio

TOKEN = "ghp_" + "s3cr3t" * 6
VERSION = "3f" * 32
SESSION = make_session(data=(DataMount(dataset="digits", version=VERSION),))
LOGS = f"""
import mlflow
mlflow.set_tracking_uri("sqlite:///mlflow.db")
with mlflow.start_run(run_name="first"):
    mlflow.log_param("api_key", "hunter-22222")
with mlflow.start_run(run_name="second"):
    mlflow.log_params({{"lr": 0.1, "url": "https://ana:{TOKEN}@example.org/x"}})
    for step, loss in enumerate((0.5, 0.25)):
        mlflow.log_metric("loss", loss, step=step)
        mlflow.log_metric("system/gpu_0_utilization_percentage", 40 + 20 * step, step=step)
    mlflow.log_metric("broken", float("nan"))
    mlflow.log_text("weights", "model.txt")
"""


def runs_in(folder: Path, **env: str) -> ScriptRuns:
    """Return what reads runs in a folder, as a session there would."""

    async def ask(session_id: str, words: tuple[str, ...]) -> str:
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, *words],
            cwd=folder,
            env={"PATH": os.environ["PATH"], **env},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    return ScriptRuns(ask)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the real MLflow has recorded two runs of the session."""
    folder = tmp_path_factory.mktemp("logged")
    env = {**os.environ, **tracking.context(SESSION)}
    subprocess.run([sys.executable, "-c", LOGS], cwd=folder, env=env, check=True)
    return folder


async def test_what_mlflow_has_recorded_is_read_without_secrets(logged: Path) -> None:
    found = await runs_in(logged).of(SESSION.id)
    assert (found.store, found.problem) == ("mlflow.db", "")
    second, first = found.items
    assert (second.name, second.status, second.experiment) == ("second", "FINISHED", "Default")
    assert second.metrics == {"loss": 0.25}
    assert second.params == {"lr": "0.1", "url": "https://example.org/x"}
    assert (second.gpu, second.data) == (50.0, {"digits": VERSION})
    assert second.artifacts == ("model.txt",)
    assert second.begun
    assert second.ended
    assert second.begun <= second.ended
    assert first.params == {"api_key": "***"}


async def test_runs_of_other_sessions_in_the_same_store_are_not_shown(logged: Path) -> None:
    assert (await runs_in(logged).of("another")).items == ()
    elsewhere = logged / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    uri = f"sqlite:///{logged}/mlflow.db"
    found = await runs_in(elsewhere, MLFLOW_TRACKING_URI=uri).of(SESSION.id)
    assert [run.name for run in found.items] == ["second", "first"]


async def test_tags_are_written_where_mlflow_reads_them(logged: Path) -> None:
    runs = runs_in(logged)
    second = (await runs.of(SESSION.id)).items[0]
    assert await runs.tag(SESSION.id, second.id, {"gpuquota.snapshot": "e9b2"}) == ""
    assert (await runs.of(SESSION.id)).items[0].snapshot == "e9b2"
    script = (
        "import mlflow; mlflow.set_tracking_uri('sqlite:///mlflow.db');"
        f"print(mlflow.get_run('{second.id}').data.tags['gpuquota.snapshot'])"
    )
    words = [sys.executable, "-c", script]
    said = await asyncio.to_thread(subprocess.check_output, words, cwd=logged, text=True)
    assert said == "e9b2\n"


async def test_without_a_store_there_are_no_runs_and_a_broken_one_is_told(tmp_path: Path) -> None:
    assert await runs_in(tmp_path).of("s1") == type(await runs_in(tmp_path).of("s1"))()
    (tmp_path / "mlflow.db").write_bytes(b"no database" * 100)
    assert "not a database" in (await runs_in(tmp_path).of("s1")).problem
    strange = runs_in(tmp_path, MLFLOW_TRACKING_URI="databricks")
    assert "no server" in (await strange.of("s1")).problem
    sqlite3.connect(tmp_path / "empty.db").close()
    empty = runs_in(tmp_path, MLFLOW_TRACKING_URI="sqlite:///empty.db")
    assert "no such table" in (await empty.of("s1")).problem


class Tracking(BaseHTTPRequestHandler):
    """The part of MLflow's REST API 2.0 that is used; `server.seen` has what was asked."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self._answer(url.path, {name: each[0] for name, each in parse_qs(url.query).items()})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(self.path, json.loads(body))

    def _answer(self, path: str, asked: dict[str, Any]) -> None:
        self.server.seen.append((path.rpartition("mlflow/")[2], asked, self.headers))
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.send_response(302)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(ANSWERS[path.rpartition("mlflow/")[2]]).encode())

    def log_message(self, *args: Any) -> None:
        pass


GPU = "system/gpu_0_utilization_percentage"
ANSWERS: dict[str, Any] = {
    "experiments/search": {"experiments": [{"experiment_id": "7", "name": "digits"}]},
    "runs/search": {
        "runs": [
            {
                "info": {
                    "run_id": "r1",
                    "run_name": "first",
                    "experiment_id": "7",
                    "status": "RUNNING",
                    "start_time": 1795403795957,
                    "artifact_uri": "mlflow-artifacts:/7/r1/artifacts",
                },
                "data": {
                    "params": [{"key": "lr", "value": "0.1"}, {"key": "token", "value": "abc"}],
                    "metrics": [
                        {"key": "loss", "value": 0.5},
                        {"key": "broken", "value": "NaN"},
                        {"key": GPU, "value": 60},
                    ],
                    "tags": [{"key": "mlflow.source.git.commit", "value": "c0ffee"}],
                },
                "inputs": {
                    "dataset_inputs": [
                        {
                            "tags": [{"key": "gpuquota.version", "value": VERSION}],
                            "dataset": {"name": "digits", "digest": VERSION[:36]},
                        }
                    ]
                },
            }
        ]
    },
    "metrics/get-history": {"metrics": [{"value": 20}, {"value": 60}]},
    "artifacts/list": {"files": [{"path": "model"}]},
    "runs/set-tag": {},
}


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Tracking) as made:
        made.seen = []
        thread = Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


async def test_a_server_is_asked_for_the_runs_of_the_session_only(
    server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{server.server_port}"
    runs = runs_in(tmp_path, MLFLOW_TRACKING_URI=url, MLFLOW_TRACKING_TOKEN=TOKEN)
    found = await runs.of("s1")
    assert (found.store, found.problem) == (url, "")
    (run,) = found.items
    assert (run.name, run.experiment, run.commit, run.gpu) == ("first", "digits", "c0ffee", 40.0)
    assert run.params == {"lr": "0.1", "token": "***"}
    assert (run.metrics, run.data) == ({"loss": 0.5}, {"digits": VERSION})
    assert run.artifacts == ("model",)
    asked = {path: body for path, body, _ in server.seen}
    assert asked["runs/search"]["filter"] == "tags.`gpuquota.session` = 's1'"
    assert await runs.tag("s1", "r1", {"gpuquota.snapshot": "e9b2"}) == ""
    assert server.seen[-1][1] == {"run_id": "r1", "key": "gpuquota.snapshot", "value": "e9b2"}


async def test_a_redirection_is_not_followed_and_credentials_are_not_shown(
    server: ThreadingHTTPServer, tmp_path: Path
) -> None:
    url = f"http://ana:hunter-22222@127.0.0.1:{server.server_port}"
    found = await runs_in(tmp_path, MLFLOW_TRACKING_URI=url).of("s1")
    assert "302" in found.problem
    assert len(server.seen) == 1
    assert "hunter" not in found.store + found.problem
