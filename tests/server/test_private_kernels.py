"""Relays that this JupyterLab starts have sockets that no other account can open."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager

from jupyter_gpuquota.kernels.specs import MARK
from jupyter_gpuquota.server.private_kernels import keep_private


def kernels_in(folder: Path) -> AsyncMappingKernelManager:
    """Return a manager with a kernelspec of ours and another one."""
    for name, metadata in {"gpu-exp-1": {MARK: {}}, "python3": {}}.items():
        place = folder / "kernels" / name
        place.mkdir(parents=True, exist_ok=True)
        spec = {"argv": ["python"], "display_name": name, "language": "python"}
        (place / "kernel.json").write_text(json.dumps({**spec, "metadata": metadata}))
    specs = KernelSpecManager(kernel_dirs=[str(folder / "kernels")], ensure_native_kernel=False)
    return AsyncMappingKernelManager(kernel_spec_manager=specs, connection_dir=str(folder))


def started(kernels: AsyncMappingKernelManager, name: str) -> tuple[str, str]:
    manager, _, _ = kernels.pre_start_kernel(name, {})
    return manager.transport, manager.ip


def test_only_our_kernels_have_files_for_sockets(tmp_path: Path) -> None:
    kernels = kernels_in(tmp_path)
    with ExitStack() as opened:
        keep_private(kernels, opened)
        transport, place = started(kernels, "gpu-exp-1")
        assert (transport, Path(place).parent) == ("ipc", tmp_path / "gpuquota")
        assert (tmp_path / "gpuquota").stat().st_mode & 0o777 == 0o700
        assert started(kernels, "gpu-exp-1")[1] != place
        assert started(kernels, "python3")[0] == "tcp"
        assert started(kernels, "no such kernel")[0] == "tcp"


def test_a_long_path_has_a_short_folder_that_goes_with_the_server(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    kernels = kernels_in(deep)
    with ExitStack() as opened:
        keep_private(kernels, opened)
        transport, place = started(kernels, "gpu-exp-1")
        folder = Path(place).parent
        assert (transport, len(place) + 3 <= 107) == ("ipc", True)
        assert folder.name.startswith(f"gpuq-{os.getuid()}-")
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


@pytest.mark.parametrize("mode", [0o755, 0o770])
def test_a_folder_that_others_can_open_is_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    (tmp_path / "gpuquota").mkdir()
    (tmp_path / "gpuquota").chmod(mode)
    kernels = kernels_in(tmp_path)
    with ExitStack() as opened:
        keep_private(kernels, opened)
        assert started(kernels, "gpu-exp-1")[0] == "tcp"
    assert "others can open the folder" in caplog.text
