"""GPUs, driver and CUDA, as `nvidia-smi` tells them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.control.snapshots.parts import gpus

TOOL = """#!/bin/sh
case "$*" in
*name,driver_version*) echo "NVIDIA H200, 570.86.15"; echo "NVIDIA H200, 570.86.15" ;;
*) echo "| NVIDIA-SMI 570.86.15     Driver Version: 570.86.15     CUDA Version: 12.8     |" ;;
esac
"""


def test_gpus_driver_and_cuda_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(TOOL)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = gpus()
    assert list(found["gpus"]) == ["NVIDIA H200", "NVIDIA H200"]
    assert (found["driver"], found["cuda"]) == ("570.86.15", "12.8")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert gpus() == {}
