"""The tours run from the first cell to the last, on a real controller with simulated GPUs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

from tests.waiting import patience

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
TOURS = sorted(FOLDER.glob("*.ipynb"))


def execute(notebook, shell):
    """Run a notebook in a kernel whose folders are the test's own."""
    shell.ok("quota")  # starts the controller, whose sessions are then as lean as the shell's
    client = NotebookClient(
        notebook,
        timeout=patience(),
        startup_timeout=patience(),
        resources={"metadata": {"path": str(shell.folder / "work")}},
    )
    client.execute(env=shell.env)
    return notebook


def text_of(notebook, beginning: str) -> str:
    """Return the output and result of the cell that begins with a text."""
    cell = next(c for c in notebook.cells if c.source.startswith(beginning))
    parts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs]
    return "".join(parts)


def html_of(notebook, beginning: str) -> str:
    cell = next(c for c in notebook.cells if c.source.startswith(beginning))
    return "".join(o.get("data", {}).get("text/html", "") for o in cell.outputs)


@pytest.mark.parametrize("path", TOURS, ids=lambda path: path.name)
def test_a_tour_in_git_has_no_outputs(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None


def test_the_first_session(shell):
    notebook = execute(nbformat.read(FOLDER / "01-first-session.ipynb", 4), shell)
    assert "16 GPUs (simulated)" in text_of(notebook, "%gpu quota")
    assert "first-session is running." in text_of(notebook, "%gpu submit first-session")
    assert "GPUs (simulated)" in text_of(notebook, "%gpu list")
    assert "isolation" in text_of(notebook, "%gpu describe")
    assert "I have 0.5 GPU" in text_of(notebook, "%gpu exec")
    link = re.search(r'href="(/gpuquota/s/\w+/)"', html_of(notebook, "%gpu open"))
    assert link
    assert "Suspended on request" in text_of(notebook, "%gpu suspend")
    assert "is running on dgx1-" in text_of(notebook, "%gpu resume")
    assert "epoch 0\nepoch 1\nepoch 2\n" in text_of(notebook, "%gpu logs first-training")
    assert "Starts now" in text_of(notebook, "from jupyter_gpuquota import Client")
    assert "gpu: Above 1, only whole GPUs are possible: enter 1 or 2." in text_of(
        notebook, "from jupyter_gpuquota.errors"
    )
    assert text_of(notebook, "client.sessions.stop") == "[]"
    assert not re.search(r"token=\w", nbformat.writes(notebook))


def test_a_mistake_fails_the_cell_and_stops_the_run(shell):
    cells = ["%load_ext jupyter_gpuquota", "%gpu describe nothing", "1 / 0"]
    notebook = new_notebook(cells=[new_code_cell(source) for source in cells])
    with pytest.raises(CellExecutionError) as caught:
        execute(notebook, shell)
    assert caught.value.ename == "NotFound"
    (output,) = notebook.cells[1].outputs
    assert output.traceback == ["Session 'nothing' not found.", "No sessions yet."]


def test_the_teams_quota(shell):
    notebook = execute(nbformat.read(FOLDER / "02-team-quota.ipynb", 4), shell)
    assert "Borrows 6 GPUs, which team-a can reclaim" in text_of(
        notebook, "%gpu submit big-1 -p team-b -g 8 --dry-run"
    )
    assert "team-b's quota is 2 GPUs" in text_of(notebook, "from jupyter_gpuquota import Client")
    assert "Preempts big-2, which will be requeued, to free 8 GPUs" in text_of(
        notebook, "%gpu submit mine -p team-a -g 1 --i"
    )
    told = text_of(notebook, "victim = next(")
    assert "gave way to mine of team-a" in told
    assert "big-" in told.split(" is waiting")[0]
    again = text_of(notebook, "import time")
    assert "big-1" in again
    assert "waiting" not in again


def test_idle_sessions(hurried):
    hurried.ok("policy", "set", "project:team-a", "warn_before=5m", "action=suspend")
    hurried.ok("policy", "set", "everyone", "idle_timeout=3h")
    notebook = execute(nbformat.read(FOLDER / "03-idle-policy.ipynb", 4), hurried)
    assert "never" in text_of(notebook, "%gpu policy show")
    preview = text_of(notebook, "%gpu policy set {level} idle_timeout=2m warn_before=1m --dry-run")
    assert re.search("No activity is recorded yet|It would have ended", preview)
    explained = text_of(notebook, "import time")
    assert re.search(r"idle_timeout +2m +project:team-a", explained)
    assert re.search(r"kernels +\w+", explained)
    assert "not looked at" not in explained
    assert "Will be suspended at" in text_of(
        notebook, "session = wait_until(lambda lunch: lunch.idle"
    )
    assert "team-a's policy" in text_of(notebook, "%gpu list")
    assert "lunch is kept alive until" in text_of(notebook, "%gpu keep-alive")
    put_off = re.findall(r"at (\d\d):(\d\d):(\d\d)", text_of(notebook, "kept = client"))
    first, then = (60 * int(hour) + int(minute) for hour, minute, _ in put_off)
    assert (then - first) % (24 * 60) >= 2
    told = text_of(notebook, 'session = wait_until(lambda lunch: lunch.state == "suspended"')
    assert "(idle timeout of team-a's policy)" in told
    assert "Resume starts it again" in told
    assert "lunch is running" in text_of(notebook, "%gpu resume")
    assert "Use at most 2 min." in text_of(notebook, "asked = client")
    levels = json.loads(hurried.ok("policy", "show", "--json"))["levels"]
    rules = {each["level"]: {k: v for k, v in each["rules"].items() if v} for each in levels}
    assert rules == {
        "everyone": {"idle_timeout": 3 * 3600},
        "project:team-a": {"warn_before": 300, "action": "suspend"},
    }


def test_datasets(shell):
    notebook = execute(nbformat.read(FOLDER / "05-datasets.ipynb", 4), shell)
    assert "(week-1) has 7 files" in text_of(notebook, "%gpu data sync weather measurements")
    versions = text_of(notebook, "%gpu data versions")
    assert "week-2" in versions.splitlines()[1]
    changes = text_of(notebook, "%gpu data diff").splitlines()
    assert "1 added, 0 removed, 1 changed" in changes[0]
    assert [line.split()[:2] for line in changes[1:]] == [["~", "day-3.csv"], ["+", "day-8.csv"]]
    assert "hour,temperature\n0,18.5\n" in text_of(notebook, "%gpu data cat")
    assert "is cached" in text_of(notebook, "%gpu data cache weather")
    listed = text_of(notebook, "path = Path(cached")
    assert "day-8.csv" in listed
    assert listed.endswith("0o444\n")
    assert "(a tour)" in text_of(notebook, "%gpu data caches")
    assert "is intact" in text_of(notebook, "%gpu data verify")
    assert "day-7.csv\n" in text_of(notebook, "%gpu logs reader")
    assert "day-8.csv" not in text_of(notebook, "%gpu logs reader")
    assert "'day-8.csv': 'added'" in text_of(notebook, "{change.path")
    assert text_of(notebook, "data.read(") == "'hour,temperature'"
    assert "Removed weather and all its versions." in text_of(notebook, "%gpu data rm")


def test_snapshots(shell):
    notebook = execute(nbformat.read(FOLDER / "06-snapshots.ipynb", 4), shell)
    assert re.search(
        r"loss 0\.\d+", text_of(notebook, "%gpu exec experiment -- python train.py 0.1")
    )
    listed = text_of(notebook, "%gpu snapshot list").splitlines()
    assert [line.split()[1] for line in listed[1:]] == ["experiment", "experiment"]
    shown = text_of(notebook, "%gpu snapshot show")
    assert "python train.py 0.1 fast" in shown
    differences = text_of(notebook, "%gpu snapshot diff")
    assert "loss: " in differences
    assert "model.json" in differences
    assert "the session restored works there" in text_of(
        notebook, "%gpu snapshot restore slow --name"
    )
    assert text_of(notebook, "(folder.parent") == "True"
    assert "snapshot restore" in text_of(notebook, "%gpu snapshot reproduce fast")
    assert "No metric differs." in text_of(notebook, "%gpu snapshot reproduce fast --run")
    assert "'again': '0." in text_of(notebook, "from jupyter_gpuquota import Client")
    assert text_of(notebook, "[change.name") == "['loss']"
    assert text_of(notebook, "for name in") in {"No snapshots.", "[]"}


def test_the_kernel_of_a_notebook(shell):
    notebook = execute(nbformat.read(FOLDER / "07-notebook-kernel.ipynb", 4), shell)
    assert "Python 3 on notebook-kernel · ½ GPU" in text_of(notebook, "%gpu kernel install")
    assert text_of(notebook, "import nbformat") == "notebook-kernel: 0.5 GPU\n\n"
    assert text_of(notebook, "await client") == "notebook-kernel: 0.5 GPU\n\n"
    assert "Removed gpu-notebook-kernel." in text_of(notebook, "%gpu kernel remove")
