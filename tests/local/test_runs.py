"""The runs of real sessions: found while they run and afterwards, tagged, and in snapshots."""

from __future__ import annotations

import sys
from pathlib import Path

from jupyter_gpuquota import Client
from tests.local.test_session_data import shell
from tests.shell import Shell, wait_for

__all__ = ["shell"]

TRAIN = """
import sys, mlflow
mlflow.set_tracking_uri("sqlite:///mlflow.db")
with mlflow.start_run(run_name=sys.argv[1]):
    mlflow.log_params({"lr": sys.argv[2], "api_token": "hunter-22222"})
    mlflow.log_metric("loss", 2 * float(sys.argv[2]))
"""


def test_a_run_is_shown_stored_in_snapshots_and_compared(shell: Shell, tmp_path: Path) -> None:
    client = Client(state_dir=shell.folder / "state")
    client.datasets.init("letters")
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a.txt").write_text("a\n")
    client.datasets.sync("letters", tmp_path / "source")
    version = client.datasets.versions("letters")[0].id
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    first = [sys.executable, "train.py", "first", "0.1"]
    client.sessions.submit(
        "tracked", kind="train", command=first, folder=str(folder), data=["letters"], wait=True
    )
    wait_for(lambda: client.sessions.get("tracked").state == "done")
    found = client.runs("tracked")
    assert len(found) == 1, found.document
    run = found[0]
    assert (run.name, run.source, run.status) == ("first", "train.py", "FINISHED")
    assert run.data == {"letters": version}
    before = client.snapshots.create("tracked")
    manifest = client.snapshots.show(before.id).manifest
    assert manifest
    assert manifest.run
    assert (manifest.mlflow_run, manifest.metrics) == (run.id, {"loss": 0.2})
    assert manifest.run.params == {"lr": "0.1", "api_token": "***"}
    wait_for(lambda: client.runs("tracked")[0].snapshot == before.id)
    client.sessions.delete("tracked")
    again = [sys.executable, "train.py", "second", "0.2"]
    client.sessions.submit("tracked", command=again, folder=str(folder), kind="train", wait=True)
    wait_for(lambda: client.sessions.get("tracked").state == "done")
    after = client.snapshots.create("tracked")
    found = client.snapshots.diff(before.id, after.id)
    assert [(each.name, each.before, each.after) for each in found.params] == [("lr", "0.1", "0.2")]
    assert [(each.name, each.before, each.after) for each in found.metrics] == [
        ("loss", "0.2", "0.4")
    ]
    assert "second" in shell.ok("describe", "tracked", "--runs")
