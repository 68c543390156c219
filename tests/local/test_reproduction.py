"""A run is made again from its snapshot: the same data, the same program, the same metric."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import Conflict, GpuQuotaError
from tests.local.test_session_data import shell
from tests.shell import Shell
from tests.waiting import patience

__all__ = ["shell"]

TRAIN = """
import os, sys
from pathlib import Path
import numpy as np

import jupyter_gpuquota

data = np.loadtxt(Path(os.environ["GPUQUOTA_DATASETS"], "points", "points.csv"), delimiter=",")
x, y = data[:, :2], data[:, 2]
random = np.random.default_rng(7)
weights = random.normal(size=2)
for step in range(int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdigit() else 50):
    batch = random.integers(len(x), size=16)
    slope = x[batch].T @ (x[batch] @ weights - y[batch]) / 16
    weights -= 0.1 * slope
loss = float(np.mean((x @ weights - y) ** 2))
print("loss", repr(loss))
"""
TAKES = 'jupyter_gpuquota.snapshot("trained", tag=TAG, metrics={"loss": loss}, wait=True)\n'


ASKS = """
import http.client, json, os, socket, sys

class Controller(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["GPUQUOTA_STATE_DIR"] + "/controller.sock")

def ask(method, path, body=None):
    controller = Controller("localhost")
    head = {"Authorization": "Bearer " + open(os.environ["GPUQUOTA_SESSION_TOKEN_FILE"]).read()}
    controller.request(method, "/gpuquota/api" + path, body, head)
    answer = controller.getresponse()
    found = [answer.status, json.loads(answer.read())]
    print(json.dumps(found))
    return found[1]

mine, other = sys.argv[1:]
ask("GET", "/snapshots")
ask("POST", f"/sessions/{mine}/snapshots", "{}")
ask("POST", f"/sessions/{other}/snapshots", "{}")
ask("GET", "/snapshots/of-second")
"""


@pytest.fixture(scope="module")
def client(shell: Shell) -> Client:
    """A client, after two versions of a dataset were stored; sessions use the first."""
    client = Client(state_dir=shell.folder / "state")
    source = shell.folder / "points"
    source.mkdir()
    for tag, shift in (("v1", 0), ("v2", 5)):
        lines = [f"{n % 7 / 7},{n % 5 / 5},{(n % 7) / 7 - (n % 5) / 5 + shift}" for n in range(200)]
        (source / "points.csv").write_text("\n".join(lines))
        client.datasets.init("points") if tag == "v1" else None
        client.datasets.sync("points", source, tag=tag)
    return client


def printed(shell: Shell, snapshot: str) -> str:
    """Run the commands that are printed for a snapshot; return what they say at the end."""
    lines = shell.ok("snapshot", "reproduce", snapshot)
    return run(shell, "bash", "-e", "-x", "-c", lines).split("→")[-1]


def written(shell: Shell, snapshot: str) -> str:
    """Run the notebook that is written for a snapshot; return what its last cell says."""
    file = shell.folder / "work" / "again.ipynb"
    file.unlink(missing_ok=True)
    shell.ok("snapshot", "reproduce", snapshot, "--notebook", str(file))
    run(shell, "jupyter", "execute", "--inplace", str(file))
    made = nbformat.read(file, 4)
    nbformat.validate(made)
    outputs = made.cells[-1].outputs
    return "".join(each.get("text") or each["data"]["text/plain"] for each in outputs)


def run(shell: Shell, *words: str) -> str:
    """Run a program as the user of a shell; it does not fail."""
    ran = subprocess.run(
        words,
        cwd=shell.folder / "work",
        env=shell.env,
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    return ran.stdout


def forget(client: Client, name: str) -> None:
    """Remove a session with its folder and its snapshots."""
    for each in client.snapshots.list(name):
        client.snapshots.remove(each.id)
    folder = client.sessions.get(name).spec.folder
    client.sessions.delete(name, stop=True)
    shutil.rmtree(folder)


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_a_program_that_takes_its_snapshot_is_run_again(
    shell: Shell, client: Client, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path)
    (folder / "train.py").write_text(TRAIN + TAKES.replace("TAG", '"best"'))
    client.sessions.submit("trains", folder=str(folder), data=["points@v1"], wait=True)
    trained = client.sessions.exec(
        "trains", ["python", "train.py", "60", "--api-token", "hunter-22222"], timeout=300
    )
    assert trained.exit_code == 0, trained.output
    taken = client.snapshots.show("best")
    assert taken.manifest
    assert (taken.snapshot.trigger, taken.manifest.owner) == ("code", taken.manifest.author)
    assert taken.programs == (("python", "train.py", "60", "--api-token", "***"),)
    said = shell.ok("snapshot", "reproduce", "best", "--run", "--name", "trains-2")
    assert "No metric differs." in said
    (again,) = client.snapshots.list("trains-2")
    assert again.metrics == taken.snapshot.metrics
    assert again.metrics["loss"] > 0
    assert [each.version for each in again.data] == [each.version for each in taken.manifest.data]
    name = taken.snapshot.id
    for carried_out in (printed, written):
        assert "metrics:" not in carried_out(shell, name)
        (again,) = client.snapshots.list("trains-again")
        assert again.metrics == taken.snapshot.metrics
        forget(client, "trains-again")
    file = str(shell.folder / "work" / "again.ipynb")
    assert shell("snapshot", "reproduce", name, "--notebook", file).code != 0
    for name in ("trains", "trains-2"):
        client.sessions.stop(name)


def test_options_that_would_do_nothing_are_refused(shell: Shell) -> None:
    ran = shell("snapshot", "reproduce", "best", "--name", "best-2")
    assert (ran.code, ran.out) == (2, "")
    assert "--name needs --run." in ran.err
    file = shell.folder / "work" / "unwritten.ipynb"
    ran = shell("snapshot", "reproduce", "best", "--run", "--notebook", str(file))
    assert ran.code == 2
    assert not file.exists()


@pytest.mark.parametrize("takes", [True, False], ids=["takes-its-snapshot", "takes-none"])
def test_a_session_with_a_command_of_its_own_is_run_again(
    shell: Shell, client: Client, tmp_path: Path, *, takes: bool
) -> None:
    folder, name = folder_of(tmp_path), "owns" if takes else "owns-2"
    (folder / "train.py").write_text(TRAIN + (TAKES.replace("TAG", '"owned"') if takes else ""))
    command = ["python", "train.py", "40"]
    client.sessions.submit(name, command=command, folder=str(folder), data=["points@v1"])
    client.sessions.wait(name, ended=True)
    taken = client.snapshots.list(name)[0] if takes else client.snapshots.create(name)
    again = f"{name}-again"
    for carried_out in (printed, written) if takes else (printed,):
        assert "metrics:" not in carried_out(shell, taken.id)
        (after,) = client.snapshots.list(again)
        assert (after.metrics, after.trigger) == (taken.metrics, taken.trigger)
        forget(client, again)


def test_a_session_takes_and_lists_its_own_snapshots_only(
    shell: Shell, client: Client, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path)
    (folder / "asks.py").write_text(ASKS)
    for name in ("first", "second"):
        client.sessions.submit(name, command=["sleep", "600"], folder=str(folder), wait=True)
    client.snapshots.create("second", tags=["of-second"])
    (folder / "own.py").write_text(
        "import jupyter_gpuquota\nprint(jupyter_gpuquota.snapshot('mine', wait=True))\n"
    )
    own = client.sessions.exec("first", ["python", "own.py"], timeout=120)
    assert own.exit_code == 0, own.output
    assert client.snapshots.show(own.output.strip()).snapshot.name == "first"
    mine, other = client.sessions.get("first").id, client.sessions.get("second").id
    asked = client.sessions.exec("first", ["python", "asks.py", mine, other], timeout=120)
    listed, made, refused, hidden = map(json.loads, asked.output.splitlines())
    assert {each["session"] for each in listed[1]["items"]} == {mine}
    assert (made[0], made[1]["session"]) == (202, mine)
    assert (refused[0], hidden[0]) == (404, 403)
    for name in ("first", "second"):
        client.sessions.stop(name)


def test_a_notebook_is_executed_again_and_a_failure_is_told(
    shell: Shell, client: Client, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path)
    cells = [TRAIN, TAKES.replace("TAG", '"seen"')]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    nbformat.write(notebook, folder / "train.ipynb")
    client.sessions.submit("cells", folder=str(folder), data=["points@v1"], wait=True)
    ran = client.sessions.exec(
        "cells", ["jupyter", "execute", "--inplace", "train.ipynb"], timeout=300
    )
    assert ran.exit_code == 0, ran.output
    loss = client.snapshots.show("seen").snapshot.metrics["loss"]
    client.snapshots.create("cells", tags=["executed"], metrics={"loss": loss})
    found = client.snapshots.reproduce("executed", "cells-2")
    assert (found.metrics, found.problems) == ((), ())
    assert client.snapshots.show(found.after).snapshot.metrics == {"loss": loss}
    (folder / "train.ipynb").write_text("no notebook")
    client.snapshots.create("cells", tags=["broken"])
    with pytest.raises(GpuQuotaError, match="does not say what was run") as caught:
        client.snapshots.reproduce("broken")
    assert isinstance(caught.value, Conflict)
    for name in ("cells", "cells-2"):
        client.sessions.stop(name)
