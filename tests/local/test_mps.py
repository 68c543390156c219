"""MPS through its control program, here one that keeps its state in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.gpus.devices import Devices, Mps
from jupyter_gpuquota.local.gpus.nvml import Nvml
from tests.contract.backend_contract import launch, until
from tests.local.conftest import marked
from tests.local.fake_nvml import FakeNvml, Gpu

# Two servers; every client but those in `clients` is server 2's. What it is told is noted.
PROGRAM = """#!/bin/sh
cd "$CUDA_MPS_PIPE_DIRECTORY" || exit 1
read -r command server client
echo "$command $server $client" >> asked
[ -e control ] || { echo "Cannot find MPS control daemon process" >&2; exit 1; }
case $command in
  get_server_list) printf '1\\n2\\n' ;;
  get_client_list) [ "$server" = 2 ] && cat clients ;;
  terminate_client) echo "$client" >> ended ;;
  *) exit 1 ;;
esac
exit 0
"""


@pytest.fixture
def mps(tmp_path: Path) -> Mps:
    program = tmp_path / "nvidia-cuda-mps-control"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    pipe = tmp_path / "pipe"
    pipe.mkdir()
    (pipe / "control").touch()
    (pipe / "clients").write_text("41\n42\n")
    return Mps(str(program), str(pipe))


def test_it_answers_only_while_its_daemon_lives(mps):
    assert mps.answers()
    Path(mps.pipe_dir, "control").unlink()
    assert not mps.answers()


def test_without_program_or_folder_nobody_is_asked(mps):
    assert not Mps("", mps.pipe_dir).answers()
    assert not Mps("/no/such/program", mps.pipe_dir).answers()
    assert not Mps(mps.program, "/no/such/folder").answers()
    assert not Path(mps.pipe_dir, "asked").exists()


def test_only_the_named_clients_are_ended(mps):
    assert mps.end_clients([42, 43]) == [42]
    assert Path(mps.pipe_dir, "ended").read_text().split() == ["42"]


@pytest.mark.asyncio
async def test_a_share_is_limited_by_mps_and_its_clients_end_before_a_kill(make, mps):
    own = {
        "devices": "auto",
        "simulated_nodes": [],
        "mps_control": mps.program,
        "mps_pipe_dir": mps.pipe_dir,
        "stop_grace": 0.2,
    }
    devices = Devices(LocalConfig(**own), Nvml(FakeNvml(Gpu("GPU-0"), Gpu("GPU-1"))))
    backend = await make(devices, projects=[{"name": "team-a", "quota": "2"}], **own)
    stubborn = ("sh", "-c", "trap '' TERM; while :; do sleep 1; done")
    part = await launch(backend, "part", gpu="0.5", command=stubborn)
    part = await until(backend, part.id, "running")
    whole = await until(backend, (await launch(backend, "whole", gpu="1")).id, "running")
    assert (part.isolation.memory, part.isolation.scope) == ("enforced", "process")
    assert whole.isolation.memory == "cooperative"
    env = (await backend.exec.context(part.id)).env
    assert env["CUDA_MPS_PIPE_DIRECTORY"] == mps.pipe_dir
    assert env["CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"] == f"0={20 * 1024}M"
    assert env["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == "50"
    env = (await backend.exec.context(whole.id)).env
    assert not any(name.startswith("CUDA_MPS") for name in env)
    Path(mps.pipe_dir, "clients").write_text("".join(f"{pid}\n" for pid in marked(part.id)))
    await backend.sessions.stop(part.id)
    await until(backend, part.id, "stopped")
    assert Path(mps.pipe_dir, "ended").read_text().split()
