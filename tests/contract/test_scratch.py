"""The recipe of a backend holds: one folder, one line of entry points, one contract class."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import ADMIN, PROJECTS, BackendContract
from tests.contract.scratch.backend import ScratchConfig, open_scratch

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).with_name("scratch")


@pytest.mark.asyncio
class TestScratch(BackendContract):
    declares = frozenset({"history", "administration", "policing", "lakes", "templates"})

    @pytest_asyncio.fixture
    async def backend(self, tmp_path: Path) -> AsyncIterator[Backend]:
        control = GpuQuota(projects=PROJECTS, admins=[ADMIN])
        backend = open_scratch(control, ScratchConfig(), tmp_path)
        await backend.resident.start()
        yield backend
        await backend.resident.close()


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Any]:
    """A shell in which the scratch backend is installed; its controller ends with the test."""
    installed = tmp_path / "site" / "scratch-1.dist-info"
    installed.mkdir(parents=True)
    shutil.copy(FOLDER / "entry_points.txt", installed)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: scratch\nVersion: 1\n")
    env = os.environ | {
        "PYTHONPATH": f"{installed.parent}:{ROOT}",
        "GPUQUOTA_STATE_DIR": str(tmp_path / "state"),
        "JUPYTER_GPUQUOTA_BACKEND": "scratch",
        "JUPYTER_NO_CONFIG": "1",
    }

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "jupyter_gpuquota.ui.cli", *words]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield run
    run("controller", "stop")


def test_it_is_chosen_by_name_and_works_from_the_shell(shell: Any, tmp_path: Path) -> None:
    assert "exp-1" in shell("submit", "exp-1", "-g", "0.5", "--interactive")
    listed = json.loads(shell("list", "--json"))
    assert [session["spec"]["name"] for session in listed["items"]] == ["exp-1"]
    assert (tmp_path / "state" / "backends" / "scratch" / "controller.log").exists()
