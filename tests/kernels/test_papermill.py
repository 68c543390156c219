"""papermill as a user runs it: a notebook with parameters, on a session's kernelspec."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.kernels.test_relay import kernels
from tests.shell import wait_for
from tests.waiting import patience

SOURCES = ["import os\nprint(os.environ['GPUQUOTA_SHARE'], steps * 2)", "assert steps > 0"]


@pytest.fixture
def work(shell, session) -> Path:
    """A folder with a notebook that has parameters, and the session's kernelspec installed."""
    shell.ok("kernel", "install", "exp-1")
    parameters = new_code_cell("steps = 1", metadata={"tags": ["parameters"]})
    cells = [parameters, *(new_code_cell(source) for source in SOURCES)]
    folder = shell.folder / "work"
    metadata = {"kernelspec": {"name": "python3", "display_name": "x", "language": "python"}}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), folder / "in.ipynb")
    return folder


def papermill(shell, work, *words):
    command = [sys.executable, "-m", "papermill", "in.ipynb", "out.ipynb", "-k", "gpu-exp-1"]
    return subprocess.run(
        [*command, "--start-timeout", str(patience()), *words],
        cwd=work,
        env=shell.env,
        capture_output=True,
        text=True,
        timeout=patience(),
        check=False,
    )


def test_a_notebook_runs_with_parameters_in_the_session(shell, work, client, session):
    ran = papermill(shell, work, "-p", "steps", "21")
    assert ran.returncode == 0, ran.stderr
    made = nbformat.read(work / "out.ipynb", as_version=4)
    assert "steps = 21" in made.cells[1].source
    assert made.cells[2].outputs[0]["text"] == "0.5 GPU 42\n"
    assert made.metadata.papermill.exception is None
    wait_for(lambda: not kernels(client, session))


def test_a_cell_that_fails_ends_papermill_and_stays_in_its_notebook(shell, work):
    ran = papermill(shell, work, "-p", "steps", "-1")
    assert ran.returncode != 0
    assert "AssertionError" in ran.stderr
    made = nbformat.read(work / "out.ipynb", as_version=4)
    assert made.metadata.papermill.exception is True
    (failed,) = (c for c in made.cells if c.cell_type == "code" and c.source == SOURCES[1])
    assert failed.outputs[0]["ename"] == "AssertionError"
