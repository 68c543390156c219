"""The folders and the controller of the shell's tests, for kernels."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_gpuquota.hosting.locate import Location
from jupyter_gpuquota.hosting.start import usable
from tests.chosen import on_local
from tests.shell import Shell, shell, wait_for

__all__ = ["on_local", "shell"]

RATE = "20"
LOOKS = {"GpuQuota": {"idle_interval": 40}}
HURRIED = Path(__file__).resolve().parents[2] / "scripts" / "hurried.py"


@pytest.fixture
def hurried(shell: Shell) -> Iterator[Shell]:
    """The shell, with a controller for which twenty seconds pass in each."""
    shell.end()
    config = shell.folder / "config" / "jupyter_gpuquota_config.json"
    config.write_text(json.dumps(LOOKS))
    where = Location(shell.folder / "state")
    with subprocess.Popen([shell.python, HURRIED, RATE], env=shell.env) as process:
        try:
            wait_for(lambda: process.poll() is not None or usable(where))
            assert process.poll() is None
            yield shell
            shell.end()
        finally:
            process.terminate()
    config.unlink()
