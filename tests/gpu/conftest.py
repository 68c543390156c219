"""A local backend on this machine's real NVIDIA GPUs; skipped where there are none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.gpus.devices import Mps, find_devices
from jupyter_gpuquota.model.resources import Device
from tests.local.conftest import _no_process_is_left, elsewhere, make, starts

__all__ = ["_no_process_is_left", "elsewhere", "make", "starts"]

_PROGRAM = "nvidia-cuda-mps-control"
_FOLDERS = "/usr/local/nvidia/bin:/usr/bin"
"""Where drivers of containers and virtual machines have it, if it is not on PATH."""


@pytest.fixture(scope="session")
def devices() -> tuple[Device, ...]:
    """Return the GPUs of this machine."""
    found = find_devices(LocalConfig(devices="nvml", mps_control=""))
    if found.problem:
        pytest.skip(found.problem)
    try:
        return found.read().nodes[0].devices
    finally:
        found.close()


@pytest.fixture(autouse=True)
def device(devices: tuple[Device, ...]) -> Device:
    """Return the first GPU of this machine."""
    if devices[0].mig:
        pytest.skip("MIG is on: these tests need a whole GPU.")
    return devices[0]


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    """Settings of a user who has configured one project only, and reads GPUs often.

    The project has one GPU, so that on a machine with several its sessions share the first one.
    """
    folder = tmp_path / "work"
    folder.mkdir()
    return {
        "home": str(tmp_path / "state"),
        "root_dir": str(folder),
        "devices": "auto",
        "mps_pipe_dir": str(tmp_path / "no-daemon"),
        "projects": [{"name": "team-a", "quota": "1"}],
        "poll_interval": 0.5,
        "stop_grace": 5.0,
    }


@pytest.fixture
def mps(settings: dict[str, Any]) -> Iterator[Mps]:
    """Start a real MPS control daemon, which the backend finds."""
    program = shutil.which(_PROGRAM, path=f"{os.environ.get('PATH', '')}:{_FOLDERS}")
    if program is None:
        pytest.skip(f"{_PROGRAM} is not installed.")
    # Short, because the path of a unix socket has to fit into 107 bytes.
    with TemporaryDirectory(prefix="mps-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        pipe, log = Path(folder, "pipe"), Path(folder, "log")
        pipe.mkdir()
        log.mkdir()
        own = {"CUDA_MPS_PIPE_DIRECTORY": str(pipe), "CUDA_MPS_LOG_DIRECTORY": str(log)}
        # The daemon would keep a pipe open.
        command = {"env": {**os.environ, **own}, "stdout": subprocess.DEVNULL, "timeout": 60}
        subprocess.run([program, "-d"], check=True, **command)
        settings |= {"mps_control": program, "mps_pipe_dir": str(pipe)}
        try:
            yield Mps(program, str(pipe))
        finally:
            # A test may have ended it.
            subprocess.run([program], input=b"quit -t 5\n", check=False, **command)
            for path in sorted(log.iterdir()):  # shown where a test fails
                print(f"== {path.name}", path.read_text()[-4000:], sep="\n")  # noqa: T201 (of a failed test)
