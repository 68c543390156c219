"""Devices as the driver reports them, and their use by sessions."""

from __future__ import annotations

import inspect
import os
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pynvml
import pytest
from traitlets import TraitError

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.core.scheduling.capacity import capacity_of
from jupyter_gpuquota.core.scheduling.placement import Pool, place
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.gpus.asking import NO_ANSWER
from jupyter_gpuquota.local.gpus.devices import Devices, find_devices, open_driver
from jupyter_gpuquota.local.gpus.inventory import DeviceInventory
from jupyter_gpuquota.local.gpus.nvml import NO_INSTANCES, Nvml
from jupyter_gpuquota.local.gpus.programs import has_open, with_programs
from jupyter_gpuquota.local.gpus.usage import usage_of
from jupyter_gpuquota.model.nodes import Reading
from jupyter_gpuquota.model.resources import MigInstance
from tests.builders import make_placement, make_session, make_share, make_slice
from tests.contract.backend_contract import launch, until
from tests.local.conftest import marked, wait_for
from tests.local.fake_nvml import GIB, FakeNvml, Gpu
from tests.waiting import patience

A100 = "NVIDIA A100-SXM4-40GB"


def config(**settings) -> LocalConfig:
    return LocalConfig(root_dir="/", **settings)


def mig_gpu() -> Gpu:
    instances = [
        Gpu("MIG-1", f"{A100} MIG 1g.5gb", 4864 * 2**20, slices=1, processes=[(11, GIB)]),
        Gpu("MIG-2", f"{A100} MIG 3g.20gb", 19968 * 2**20, slices=3, mps_processes=[(11, GIB)]),
    ]
    return Gpu("GPU-0", instances=instances, utilisation=None)


def test_the_fake_offers_only_what_nvml_offers():
    offered = {name for name, _ in inspect.getmembers(FakeNvml) if name.startswith(("nvml", "NV"))}
    assert offered <= set(dir(pynvml))


def test_a_device_is_read_with_memory_use_and_processes():
    gpu = Gpu("GPU-0", used=3 * GIB, processes=[(11, 2 * GIB), (12, None)])
    inventory = Nvml(FakeNvml(gpu)).read(mps=True)
    (device,) = inventory.nodes[0].devices
    assert (device.uuid, device.model, device.memory) == ("GPU-0", A100, 40 * 1024)
    assert (device.mps, device.simulated, device.lost) == (True, False, False)
    assert inventory.readings == {"GPU-0": Reading(utilisation=7, memory_used=3072, temperature=45)}
    assert inventory.memory == {("GPU-0", 11): 2048, ("GPU-0", 12): None}


def test_mig_instances_have_their_profile_and_their_own_processes():
    inventory = Nvml(FakeNvml(mig_gpu())).read(mps=False)
    (device,) = inventory.nodes[0].devices
    assert device.mig == (
        MigInstance(uuid="MIG-1", profile="1g.5gb", memory=4864, slices=1),
        MigInstance(uuid="MIG-2", profile="3g.20gb", memory=19968, slices=3),
    )
    assert inventory.readings["GPU-0"].utilisation is None
    assert inventory.memory == {("GPU-0", 11): 2048}


def test_mps_clients_are_listed_twice_and_count_once_and_their_server_is_listed_too():
    # What driver 580 reports of an H200 with a server, 1369, and two clients.
    clients = [(1383, 1363148800), (1382, 2436890624)]
    gpu = Gpu("GPU-0", processes=[(1369, 69206016), *clients], mps_processes=clients)
    inventory = Nvml(FakeNvml(gpu), is_here=lambda _: True).read(mps=True)
    assert inventory.memory == {("GPU-0", 1369): 66, ("GPU-0", 1383): 1300, ("GPU-0", 1382): 2324}
    session = make_session("a", "0.5", "running", placement=make_placement(make_slice(0, 500)))
    assert usage_of(session, inventory, {1383: session.id, 1382: "b"}).memory == 1300
    assert usage_of(session, inventory, {1382: "b"}).memory == 0


@pytest.mark.parametrize(("reserved", "used"), [(644939776, 0), (None, 0)])
def test_what_the_driver_reserves_is_not_in_use_where_it_can_be_told(reserved, used):
    gpu = Gpu("GPU-0", name="NVIDIA H200", memory=150754820096, reserved=reserved)
    inventory = Nvml(FakeNvml(gpu)).read(mps=False)
    assert inventory.nodes[0].devices[0].memory == 143771
    assert inventory.readings["GPU-0"].memory_used == used


def test_in_a_container_only_processes_there_are_read_and_others_are_hidden():
    gpu = Gpu("GPU-0", processes=[(3, GIB), (1336, GIB)])
    inventory = Nvml(FakeNvml(gpu), is_here=lambda pid: pid == 3).read(mps=False)
    assert (inventory.memory, inventory.hidden) == ({("GPU-0", 3): 1024}, True)
    gpu.processes.pop()
    assert not Nvml(FakeNvml(gpu), is_here=lambda pid: pid == 3).read(mps=False).hidden


def test_a_process_is_asked_which_files_it_has_open(tmp_path):
    with (tmp_path / "device0").open("w"):
        assert has_open(os.getpid(), f"{tmp_path}/device")
    assert not has_open(os.getpid(), f"{tmp_path}/device")
    assert not has_open(2**22 + 1, "/")


def test_a_device_that_answers_no_more_is_lost_and_may_come_back():
    nvml = FakeNvml(Gpu("GPU-0"), Gpu("GPU-1"))
    driver = Nvml(nvml)
    driver.read(mps=False)
    nvml.gpus[0].gone = True
    assert not any(d.lost for d in driver.read(mps=False).nodes[0].devices)  # it may be a moment
    inventory = driver.read(mps=False)
    assert [(d.uuid, d.lost) for d in inventory.nodes[0].devices] == [
        ("GPU-0", True),
        ("GPU-1", False),
    ]
    assert "GPU-0" not in inventory.readings
    nvml.gpus[0].gone = False
    assert not any(d.lost for d in driver.read(mps=False).nodes[0].devices)


def test_all_devices_are_lost_with_their_driver():
    nvml = FakeNvml(Gpu("GPU-0"))
    driver = Nvml(nvml)
    driver.read(mps=False)
    nvml.driver = False
    driver.read(mps=False)
    assert [d.lost for d in driver.read(mps=False).nodes[0].devices] == [True]


UNREADABLE = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
"""What pynvml raises for the names of WSL's driver 555.85."""
ODD = [
    pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED),
    pynvml.NVMLError(pynvml.NVML_ERROR_UNKNOWN),
    pynvml.NVMLError(pynvml.NVML_ERROR_INVALID_ARGUMENT),
    pynvml.NVMLError(pynvml.NVML_ERROR_TIMEOUT),
    AttributeError("module 'pynvml' has no attribute 'nvmlMemory_v2'"),
    UNREADABLE,
]


@pytest.mark.parametrize("error", ODD, ids=repr)
@pytest.mark.parametrize(
    "asked",
    [
        *("Name", "MemoryInfo", "UtilizationRates", "Temperature", "MigMode"),
        *("ComputeRunningProcesses", "GraphicsRunningProcesses"),
    ],
)
def test_an_odd_figure_hides_itself_and_never_the_gpu(asked, error):
    nvml = FakeNvml(Gpu("GPU-0", odd={asked: error}), Gpu("GPU-1"))
    driver = Nvml(nvml)
    for _ in range(3):
        inventory = driver.read(mps=False)
        odd, usual = inventory.nodes[0].devices
        assert (odd.lost, usual.lost) == (False, False)
        assert odd.model == ("GPU 0" if asked == "Name" else A100)
        assert odd.memory > 0
        reading = inventory.readings["GPU-0"]
        hidden = {
            name
            for name in ("utilisation", "memory_used", "temperature")
            if getattr(reading, name) is None
        }
        figures = {
            "MemoryInfo": {"memory_used"},
            "UtilizationRates": {"utilisation"},
            "Temperature": {"temperature"},
        }
        assert hidden == figures.get(asked, set())
    assert driver.work("GPU-0", 0) is not None


@pytest.mark.parametrize("samples", [None, [], [(9, 5_000_000, 30)]])
def test_the_work_of_a_gpu_says_what_draws_with_it(samples):
    driver = Nvml(FakeNvml(Gpu("GPU-0", drawing=[9, 12], samples=samples)))
    assert driver.work("GPU-0", 0).drawing == {9, 12}


@pytest.mark.parametrize("asked", ["UUID", "HandleByIndex"])
def test_a_gpu_without_a_handle_or_a_uuid_is_lost_after_two_readings(asked):
    nvml = FakeNvml(Gpu("GPU-0"), Gpu("GPU-1"))
    driver = Nvml(nvml)
    driver.read(mps=False)
    nvml.gpus[0].odd = {asked: pynvml.NVMLError(pynvml.NVML_ERROR_UNKNOWN)}
    lost = [[d.lost for d in driver.read(mps=False).nodes[0].devices] for _ in range(3)]
    assert lost == [[False, False], [True, False], [True, False]]
    nvml.gpus[0].odd = {}
    assert not any(d.lost for d in driver.read(mps=False).nodes[0].devices)


def test_bindings_that_cannot_be_used_are_named_and_end_nothing():
    class Older(FakeNvml):
        def nvmlDeviceGetCount(self) -> int:  # noqa: N802 (pynvml's name)
            raise AttributeError("nvmlDeviceGetCount_v2")

    driver, problem = open_driver(Older(Gpu("GPU-0")))
    assert driver is None
    assert "Install the latest nvidia-ml-py" in problem


class Hanging(FakeNvml):
    """A driver that answers about utilisation when it is let go."""

    def __init__(self, *gpus: Gpu) -> None:
        super().__init__(*gpus)
        self.goes_on = threading.Event()
        self.goes_on.set()

    def nvmlDeviceGetUtilizationRates(self, gpu: Gpu) -> Any:  # noqa: N802 (pynvml's name)
        self.goes_on.wait()
        return super().nvmlDeviceGetUtilizationRates(gpu)


def test_a_driver_that_hangs_is_marked_and_waited_for_by_nobody():
    nvml = Hanging(Gpu("GPU-0"))
    driver, problem = open_driver(nvml, late=0.2)
    assert problem == ""
    assert driver.read(mps=False).nodes[0].problem == ""
    nvml.goes_on.clear()
    driver.read(mps=False)
    assert driver.work("GPU-0", 0) is None
    held = driver.read(mps=False)
    assert held.nodes[0].problem == NO_ANSWER
    assert [d.uuid for d in held.nodes[0].devices] == ["GPU-0"]
    assert held.readings == {}
    nvml.goes_on.set()
    wait_until(lambda: not driver.is_late)
    assert driver.read(mps=False).nodes[0].problem == ""
    driver.close()


def test_a_driver_that_hangs_at_the_start_is_one_that_may_have_gpus():
    nvml = Hanging(Gpu("GPU-0"))
    nvml.goes_on.clear()
    driver, problem = open_driver(nvml, late=0.1)
    assert problem == ""
    found = Devices(config(), driver).read()
    assert [(node.problem, node.devices) for node in found.nodes] == [(NO_ANSWER, ())]
    nvml.goes_on.set()
    wait_until(lambda: not driver.is_late)
    assert [d.uuid for d in driver.read(mps=False).nodes[0].devices] == ["GPU-0"]
    driver.close()


def wait_until(condition):
    deadline = time.monotonic() + patience()
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("nvml", "problem"),
    [(FakeNvml(driver=False), "driver reports"), (FakeNvml(), "lists none")],
)
def test_without_driver_or_gpu_there_is_none_and_it_is_said_why(nvml, problem):
    driver, text = open_driver(nvml)
    assert driver is None
    assert problem in text
    assert nvml.open == 0
    asked = Devices(config(devices="nvml"), driver, text)
    assert (asked.source, asked.problem) == ("none", text)
    assert Devices(config(), driver, text).problem == ""


def test_auto_prefers_real_devices_to_simulated_ones():
    simulated = [{"name": "n1", "gpus": 2}]
    real = Devices(config(simulated_nodes=simulated), Nvml(FakeNvml(Gpu("GPU-0"))))
    assert real.source == "nvml"
    assert [d.uuid for d in real.read().nodes[0].devices] == ["GPU-0"]
    none = Devices(config(simulated_nodes=simulated), None)
    assert none.source == "simulated"
    assert [d.uuid for d in none.read().nodes[0].devices] == ["SIM-n1-0", "SIM-n1-1"]
    assert all(d.simulated for d in none.read().nodes[0].devices)


def test_a_plain_installation_has_no_simulated_device():
    assert find_devices(config(devices="simulated")).read() == DeviceInventory(())


def test_configured_projects_are_read_with_their_quota():
    nodes = Devices(config(simulated_nodes=[{"name": "n1", "gpus": 3}]), None).read().nodes
    (team,) = GpuQuota(projects=[{"name": "team-a", "quota": "2.5"}]).teams(nodes)
    assert (team.name, team.quota) == ("team-a", 2500)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"projects": [{"name": "Team A", "quota": "4"}]}, "Team A"),
        ({"projects": [{"name": "a", "quota": "4"}, {"name": "a", "quota": "4"}]}, "be unique"),
        ({"projects": [{"name": "a", "quota": "many"}]}, "not a number"),
        ({"projects": [{"name": "a"}]}, "quota"),
        ({"state_dir": "relative"}, "absolute"),
    ],
)
def test_shared_settings_that_cannot_be_used_are_refused(wrong, said):
    with pytest.raises(TraitError, match=said):
        GpuQuota(**wrong).teams(())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"simulated_nodes": [{"name": "n", "gpus": "8"}]}, "gpus"),
        ({"simulated_nodes": [{"name": "n", "gpus": 8, "cores": 2}]}, "cores"),
        ({"root_dir": "relative"}, "absolute"),
        ({"devices": "cloud"}, "devices"),
        ({"log_bytes": 1}, "log_bytes"),
    ],
)
def test_settings_of_its_own_that_cannot_be_used_are_refused(wrong, said):
    with pytest.raises(TraitError, match=said):
        LocalConfig(**wrong)


def test_usage_is_what_the_sessions_own_processes_hold():
    held = make_placement(make_slice(0, 500))
    session = make_session("a", "0.5", "running", placement=held)
    memory = {("G", 1): 100, ("G", 2): 16_300, ("G", 3): 9_999}
    owners = {1: session.id, 2: session.id, 3: "another"}

    def usage(memory, *, hidden=False):
        return usage_of(session, DeviceInventory((), memory=memory, hidden=hidden), owners)

    assert (usage(memory).memory, usage(memory).over) == (16_400, True)
    assert usage(memory | {("G", 2): None}).memory is None
    assert usage({}).memory == 0
    assert usage({("G", 77): 5}).memory == 0  # of a program outside
    # Inside a container the driver names processes that nobody here knows.
    assert usage({}, hidden=True).memory is None


def test_programs_of_a_device_are_named_unless_they_work_for_others_or_are_gone():
    gpu = Gpu("GPU-0", processes=[(os.getpid(), GIB), (2**22 + 1, GIB)])
    read = Nvml(FakeNvml(gpu, Gpu("GPU-1"))).read(mps=False)
    named = with_programs(read, lambda: {os.getpid(): "s1"})
    (program,) = named.readings["GPU-0"].programs
    assert (program.session, program.pid, program.memory) == ("s1", os.getpid(), 1024)
    assert named.readings["GPU-1"].programs == ()
    assert (named.nodes, named.memory) == (read.nodes, read.memory)


@pytest.mark.asyncio
async def test_a_session_over_its_share_is_shown_and_a_lost_device_told(make, tmp_path):
    nvml = FakeNvml(Gpu("GPU-0"))
    own = {
        "devices": "auto",
        "simulated_nodes": [],
        "poll_interval": 0.1,
        "mps_pipe_dir": str(tmp_path),
    }
    projects = [{"name": "team-a", "quota": "1"}]
    backend = await make(Devices(LocalConfig(**own), Nvml(nvml)), projects=projects, **own)
    assert backend.inventory.source == "nvml"
    session = await until(backend, (await launch(backend, gpu="0.5")).id, "running")
    assert session.isolation.memory == "none"
    (pid,) = marked(session.id)
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert b"CUDA_VISIBLE_DEVICES=GPU-0" in environment
    await until(backend, session.id, lambda s: s.usage and s.usage.memory == 0)
    nvml.gpus[0].processes = [(pid, 30 * GIB), (os.getpid(), GIB)]
    over = await until(backend, session.id, lambda s: s.usage.memory == 30 * 1024)
    assert over.usage.over
    inside, outside = await wait_for(lambda: backend.inventory.readings()["GPU-0"].programs)
    assert (inside.session, inside.pid, inside.memory) == (session.id, pid, 30 * 1024)
    assert (outside.session, outside.pid, outside.memory) == ("", os.getpid(), 1024)
    this = psutil.Process()
    assert (outside.name, outside.owner) == (this.name(), this.username())
    nvml.gpus[0].processes = [(pid, GIB)]
    less = await until(backend, session.id, lambda s: s.usage.memory == 1024)
    assert (less.usage.peak, less.usage.since) == (30 * 1024, over.usage.since)
    nvml.gpus[0].gone = True
    lost = await until(backend, session.id, lambda s: s.reason is not None)
    assert (lost.state, lost.reason.code) == ("running", "DeviceLost")
    nvml.gpus[0].gone = False
    await until(backend, session.id, lambda s: s.reason is None)
    reading = await wait_for(lambda: backend.inventory.readings().get("GPU-0"))
    assert reading.utilisation == 7
    await backend.resident.close()
    nvml.gpus[0].processes = []
    again = await make(Devices(LocalConfig(**own), Nvml(nvml)), projects=projects, **own)
    kept = await until(again, session.id, lambda s: s.usage and s.usage.memory == 0)
    assert kept.usage.peak == 30 * 1024  # it is on disk
    await again.sessions.stop(session.id)
    ended = await until(again, session.id, "stopped")
    assert (ended.usage.memory, ended.usage.over, ended.usage.peak) == (None, False, 30 * 1024)
    await again.sessions.resume(session.id)
    anew = await until(again, session.id, lambda s: s.usage and s.usage.peak is not None)
    assert anew.usage.peak == 0  # of this run alone


@pytest.mark.asyncio
async def test_a_gpu_that_falls_off_the_bus_gives_its_number_and_nothing_else_away(make, tmp_path):
    own = {"devices": "auto", "simulated_nodes": [], "poll_interval": 0.1}
    own["mps_pipe_dir"] = str(tmp_path)
    projects = [{"name": "team-a", "quota": "4"}]

    async def started(*names: str):
        gpus = [Gpu(f"GPU-{name}") for name in names]
        return await make(
            Devices(LocalConfig(**own), Nvml(FakeNvml(*gpus))), projects=projects, **own
        )

    backend = await started("A", "B", "C")
    one, two, three = [
        await until(backend, (await launch(backend, name, gpu="1")).id, "running")
        for name in ("one", "two", "three")
    ]
    await backend.resident.close()
    again = await started("A", "C")  # the driver counts anew: C is GPU 1 now
    lost = await until(again, two.id, lambda s: s.reason is not None)
    assert (lost.state, lost.reason.code) == ("running", "DeviceLost")
    await again.sessions.stop(two.id)
    await until(again, two.id, "stopped")
    four = await launch(again, "four", gpu="1")
    waiting = await until(again, four.id, lambda s: s.reason is not None)
    assert waiting.state == "waiting"
    reasons = {each.id: each.reason for each in again.sessions.all()}
    assert (reasons[one.id], reasons[three.id]) == (None, None)
    await again.sessions.stop(three.id)
    placed = await until(again, four.id, "running")
    assert [piece.uuid for piece in placed.placement.slices] == ["GPU-C"]


def test_a_gpu_with_mig_on_and_without_instances_is_no_whole_gpu():
    driver = Nvml(FakeNvml(Gpu("GPU-0", instances=[]), Gpu("GPU-1")))
    (node,) = driver.read(mps=False).nodes
    assert [(d.uuid, d.problem) for d in node.devices] == [("GPU-0", NO_INSTANCES), ("GPU-1", "")]
    assert place(make_share("2"), Pool([node])).code == "NoNodeFits"
    assert [piece.uuid for piece in place(make_share("1"), Pool([node])).slices] == ["GPU-1"]
    assert capacity_of([node]) == 1000


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("2,3", ["GPU-2", "GPU-3"]),
        (" 3 , 1 ", ["GPU-1", "GPU-3"]),
        ("GPU-3", ["GPU-3"]),
        ("1,9,2", ["GPU-1"]),  # as in CUDA
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
    ],
)
def test_what_cuda_visible_devices_names_is_offered(monkeypatch, text, offered):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", text)
    driver = Nvml(FakeNvml(*(Gpu(f"GPU-{number}") for number in range(4))))
    found = Devices(config(), driver).read()
    (node,) = found.nodes
    assert [device.uuid for device in node.devices] == offered
    assert set(found.readings) == set(offered)
    note = f"{len(offered)} of 4 GPUs are offered, limited by CUDA_VISIBLE_DEVICES."
    assert node.note == note
    (ours,) = Devices(config(gpus="0"), driver).read().nodes
    assert [device.uuid for device in ours.devices] == ["GPU-0"]
    assert ours.note == "1 of 4 GPUs are offered, limited by c.LocalConfig.gpus."


def test_an_instance_may_be_named():
    (node,) = Devices(config(gpus="MIG-2"), Nvml(FakeNvml(mig_gpu(), Gpu("GPU-1")))).read().nodes
    (device,) = node.devices
    assert [instance.uuid for instance in device.mig] == ["MIG-2"]
    assert node.note == "1 of 2 GPUs are offered, limited by c.LocalConfig.gpus."
    (node,) = Devices(config(gpus="MIG-2"), Nvml(FakeNvml(mig_gpu()))).read().nodes
    assert node.note == "Not all MIG instances are offered, limited by c.LocalConfig.gpus."
    (node,) = Devices(config(gpus="0"), Nvml(FakeNvml(mig_gpu()))).read().nodes
    assert node.note == ""
    everything = Devices(config(), Nvml(FakeNvml(mig_gpu()))).read().nodes[0]
    assert (len(everything.devices[0].mig), everything.note) == (2, "")
