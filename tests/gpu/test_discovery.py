"""The GPUs of the machine, and their readings, as NVIDIA's own program reports them."""

from __future__ import annotations

import csv
import getpass
import io
import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest

from tests.contract.backend_contract import run, until
from tests.gpu.programs import answer, program, with_pids, work
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio


def nvidia_smi(*fields: str) -> list[list[str]]:
    """Return the fields of every GPU."""
    found = shutil.which("nvidia-smi") or shutil.which("nvidia-smi", path="/usr/local/nvidia/bin")
    if found is None:
        pytest.skip("nvidia-smi is not installed.")
    command = [found, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return list(csv.reader(io.StringIO(text), skipinitialspace=True))


@pytest.fixture
def outside() -> Iterator[int]:
    """Start a program outside sessions that uses the GPU, and return its pid."""
    with subprocess.Popen(work("hold=600", "rest=600")) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@pytest.fixture
def container() -> tuple[str, ...]:
    """Return what goes before a program that has process ids of its own."""
    user = ("unshare", "--user", "--map-root-user")
    words = (*user, "--pid", "--fork", "--kill-child", "--mount-proc")
    probe = subprocess.run([*words, "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(f"This machine lets no user make containers: {probe.stderr.strip()}")
    return words


async def test_the_inventory_is_what_nvidia_smi_lists(make):
    backend = await make(projects=[])
    assert (backend.inventory.source, backend.changes.warnings()) == ("nvml", ())
    (node,) = backend.inventory.nodes()
    assert node.name == socket.gethostname()
    found = [[str(d.index), d.uuid, d.model, str(d.memory)] for d in node.devices]
    assert found == nvidia_smi("index", "uuid", "name", "memory.total")
    assert not any(d.simulated or d.lost or d.mps for d in node.devices)
    (project,) = backend.inventory.projects()
    assert project.quota == 1000 * len(node.devices)


async def test_a_whole_gpu_is_all_that_a_session_sees_and_its_readings_show_the_work(make, device):
    backend = await make()
    command = work("devices", "memory", "hold=1024", "rate=600")
    session = await run(backend, gpu="1", command=command)
    assert session.isolation.memory == "cooperative"
    assert await answer(backend, session, "devices") == [device.uuid]
    assert (await answer(backend, session, "memory"))["total"] <= device.memory
    assert await answer(backend, session, "hold") == 1024

    def working():
        reading = backend.inventory.readings().get(device.uuid)
        return reading if reading and (reading.utilisation or 0) > 50 else None

    reading = await wait_for(working)
    assert 1024 <= reading.memory_used <= device.memory
    assert 10 <= reading.temperature <= 110


@with_pids
async def test_a_session_is_shown_with_its_memory_and_a_program_outside_with_its_account(
    make, device, outside
):
    backend = await make()
    session = await run(backend, gpu="0.5", command=work("hold=1024", "rest=600"))
    used = await until(backend, session.id, lambda s: s.usage and (s.usage.memory or 0) >= 1024)
    assert used.usage.memory < 4096
    assert not used.usage.over
    inside = await program(backend, device.uuid, session.id, 1024)
    assert inside.memory == used.usage.memory
    foreign = await program(backend, device.uuid, "", 600)
    assert (foreign.pid, foreign.owner) == (outside, getpass.getuser())


@with_pids
async def test_in_a_container_the_driver_reports_the_pids_of_the_container(elsewhere, container):
    inside = elsewhere(prefix=container)
    fields = {"gpu": "0.5", "command": work("hold=1024", "rest=600")}
    session = inside.ask("launch", "exp-1", fields)

    async def known():
        (found,) = inside.ask("sessions")
        return ((found["usage"] or {}).get("memory") or 0) >= 1024

    await wait_for(known)
    inside.ask("end", "stop", session["id"])
    inside.ask("until", session["id"], "stopped")
