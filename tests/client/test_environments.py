"""An environment with the packages of a snapshot, made by uv."""

from __future__ import annotations

import json
import platform
import subprocess
import zipfile
from pathlib import Path

import pytest

from jupyter_gpuquota.client.snapshots.environments import make
from jupyter_gpuquota.errors import Conflict, InvalidFields, Unsupported
from jupyter_gpuquota.model.snapshots.snapshots import EnvironmentFiles

PYTHON = platform.python_version()


def wheel(folder: Path) -> Path:
    """Return a wheel of the package `demo` that needs another one."""
    path = folder / "demo-1.5-py3-none-any.whl"
    info = "demo-1.5.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("demo.py", "value = 3\n")
        file.writestr(f"{info}/METADATA", "Name: demo\nVersion: 1.5\nRequires-Dist: nowhere\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")
    return path


def files(*lines: str, python: str = PYTHON) -> EnvironmentFiles:
    return EnvironmentFiles(python=python, requirements=lines)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep uv from the network."""
    monkeypatch.setenv("UV_OFFLINE", "1")


def test_an_environment_is_made_with_exactly_these_packages(tmp_path):
    made = make(files(f"demo @ {wheel(tmp_path).as_uri()}"), tmp_path / "new/env", "5a5a")
    assert made == str(tmp_path / "new/env")
    program = (
        "import demo, json, platform; print(json.dumps([demo.value, platform.python_version()]))"
    )
    said = subprocess.run([f"{made}/bin/python", "-c", program], capture_output=True, check=True)
    assert json.loads(said.stdout) == [3, PYTHON]


def test_another_patch_release_does(tmp_path):
    release = PYTHON.rpartition(".")[0]
    made = make(files(python=f"{release}.99"), tmp_path / "env", "5a5a")
    assert Path(made, "bin/python").exists()


def test_of_one_that_fails_nothing_is_left(tmp_path):
    target = tmp_path / "env"
    with pytest.raises(Conflict, match="could not be installed"):
        make(files("nowhere==1.0"), target, "5a5a")
    assert not target.exists()
    with pytest.raises(Conflict, match=r"Python 2\.1\.3"):
        make(files(python="2.1.3"), target, "5a5a")
    assert not target.exists()


def test_what_is_there_is_left_alone(tmp_path):
    (tmp_path / "env").mkdir()
    with pytest.raises(InvalidFields):
        make(files(), tmp_path / "env", "5a5a")
    assert list((tmp_path / "env").iterdir()) == []


def test_what_uv_cannot_make_is_said(tmp_path):
    with pytest.raises(Unsupported, match="does not say"):
        make(None, tmp_path / "env", "5a5a")
    with pytest.raises(Unsupported, match="conda") as refused:
        make(EnvironmentFiles(explicit=("@EXPLICIT",)), tmp_path / "env", "5a5a")
    assert "5a5a" in refused.value.hint
