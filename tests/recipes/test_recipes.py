"""The recipes of CONTRIBUTING hold: followed on a copy of the project, they work and count so."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from .edits import NOUN, ROUTE, Edit

ROOT = Path(__file__).resolve().parents[2]
NEW = Path(__file__).with_name("noun")
ENGLISH = {"one": 1, "two": 2, "four": 4, "eight": 8}

Run = Callable[..., str]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project, as far as the recipes concern it."""
    root = tmp_path / "copy"
    skipped = shutil.ignore_patterns("__pycache__", "node_modules", "lib", "labextension")
    shutil.copytree(ROOT / "jupyter_gpuquota", root / "jupyter_gpuquota", ignore=skipped)
    front_end = root / "labextension"
    front_end.mkdir()
    for path in (ROOT / "labextension").iterdir():
        if path.is_file():
            shutil.copy(path, front_end)
    shutil.copytree(ROOT / "labextension" / "src", front_end / "src")
    (front_end / "node_modules").symlink_to(ROOT / "labextension" / "node_modules")
    return root


@pytest.fixture
def run(copy: Path, tmp_path: Path) -> Iterator[Run]:
    """Run programs in the copy, on the memory backend; its controller ends with the test."""
    env = os.environ | {
        "PYTHONPATH": str(copy),
        "GPUQUOTA_STATE_DIR": str(tmp_path / "state"),
        "JUPYTER_GPUQUOTA_BACKEND": "memory",
        "JUPYTER_NO_CONFIG": "1",
        "REPORTS": str(tmp_path),
    }

    def run(*command: str, folder: Path = copy) -> str:
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    yield run
    run(sys.executable, "-m", "jupyter_gpuquota.ui.cli", "controller", "stop")


def follow(root: Path, edits: Sequence[Edit]) -> int:
    """Make the edits, and return how many files they change."""
    for edit in edits:
        edit.apply(root)
    return len({edit.path for edit in edits})


def recipe(name: str) -> str:
    """Return the item of a recipe in CONTRIBUTING, on one line."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    pattern = rf"^- \*\*{name}\*\*(.*?)(?=^- )"
    (found,) = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    return " ".join(found.split())


def stated(name: str, what: str) -> int:
    """Return the number of files that a recipe states, such as of `new files`."""
    (word,) = re.findall(rf"(\w+) {what}", recipe(name))
    return ENGLISH[word]


@pytest.mark.rare
def test_a_route_is_one_row_and_one_function(copy: Path, run: Run) -> None:
    assert follow(copy, ROUTE) == stated("A route", "edits") == 2
    run(sys.executable, "-m", "jupyter_gpuquota.api.schema")
    generated = (copy / "labextension" / "src" / "api" / "routes.ts").read_text()
    assert "/nodes/free" in generated
    code = (
        "from jupyter_gpuquota.client import Client\n"
        "print(len(Client().context.call('nodes.free').nodes))"
    )
    assert run(sys.executable, "-c", code) == "2\n"


@pytest.mark.rare
def test_a_noun_takes_eight_new_files_and_four_edits(copy: Path, run: Run) -> None:
    new = [path for path in NEW.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert len(new) == stated("A noun", "new files") == 8
    assert follow(copy, NOUN) == stated("A noun", "edits") == 4
    shutil.copytree(NEW, copy, dirs_exist_ok=True)

    run(sys.executable, "-m", "jupyter_gpuquota.api.schema")
    shell = (sys.executable, "-m", "jupyter_gpuquota.ui.cli")
    assert "solver" in run(*shell, "licences")
    assert json.loads(run(*shell, "licences", "--json"))["licences"][0]["free"] == 3
    assert "licences" in run(*shell, "help")
    about = "from jupyter_gpuquota.client import Client; print(Client().about().capabilities)"
    assert "licensing" in run(sys.executable, "-c", about)
    document = "from jupyter_gpuquota.api.openapi import document; print(document('/')['paths'])"
    assert "/licences" in run(sys.executable, "-c", document)
    client = "from jupyter_gpuquota.client import Client; found = Client().licences.list()"
    assert run(sys.executable, "-c", f"{client}; print(found.df.name[0])") == "solver\n"
    magic = "%load_ext jupyter_gpuquota\n%gpu licences"
    assert "solver" in run(sys.executable, "-m", "IPython", "-c", magic)

    run("npx", "tsc", "--noEmit", folder=copy / "labextension")
