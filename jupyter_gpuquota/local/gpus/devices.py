"""The configured source of GPUs: the NVIDIA driver or simulated nodes.

NVIDIA MPS: check its control daemon, and terminate clients before they are killed.

A client that finds no daemon runs without limits, and killing a busy client by signal is
undefined (docs.nvidia.com/deploy/mps).

The work of devices since it was taken last.

The driver reports the mean utilisation of each process since a time stamp, but forgets what was
more than some seconds ago (16 with driver 580). Whoever asks less often would miss work, so it is
read in between.
"""

from __future__ import annotations

import logging
import os
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import msgspec

from ...model.resources import Device, MigInstance, Node, simulated_devices
from ..config import LocalConfig, SimulatedNode
from .asking import LATE, AskedDriver
from .inventory import DeviceInventory, Driver, Work
from .nvml import Nvml


class WorkLog:
    """Collects the work of devices, from any thread.

    What was noted less than `apart` seconds ago is not read again: there is hardly anything since
    then, and a process that works would seem to rest at this moment.
    """

    def __init__(self, driver: Driver | None, apart: float = 1.0) -> None:
        self._driver = driver
        self._apart = apart
        self._lock = Lock()
        self._stamps: dict[str, int] = {}
        self._noted: dict[str, tuple[float, Work]] = {}

    def note(self, uuids: Iterable[str]) -> None:
        """Read the work of devices, or MIG instances, and remember it."""
        with self._lock:
            now = time.monotonic()
            self._noted |= {uuid: (now, work) for uuid, work in self._read(uuids).items()}

    def take(self, uuids: Iterable[str]) -> dict[str, Work | None]:
        """Return the work of devices since the last call; None for one that does not respond.

        That of other devices is forgotten.
        """
        with self._lock:
            wanted = set(uuids)
            found = self._read(wanted)
            self._noted = {}
            self._stamps = {uuid: work.stamp for uuid, work in found.items()}
            return {uuid: found.get(uuid) for uuid in wanted}

    def _read(self, uuids: Iterable[str]) -> dict[str, Work]:
        """Map the devices that respond to their work, including what was noted before."""
        found: dict[str, Work] = {}
        if self._driver is None:
            return found
        for uuid in uuids:
            at, before = self._noted.get(uuid, (0.0, None))
            if before and time.monotonic() - at < self._apart:
                found[uuid] = before
            elif work := self._driver.work(uuid, self._stamps.get(uuid, 0)):
                self._stamps[uuid] = work.stamp
                found[uuid] = _added(before, work)
        return found


def _added(before: Work | None, now: Work) -> Work:
    """Return the work of two readings; what holds at this moment is that of the second."""
    if before is None:
        return now
    known = [each for each in (before.most, before.whole, now.whole) if each is not None]
    processes = now.processes
    if processes is not None:
        processes = _highest(before.processes or {}, processes)
    return replace(now, processes=processes, most=max(known, default=None))


def _highest(before: Mapping[int, int], now: Mapping[int, int]) -> dict[int, int]:
    return {pid: max(before.get(pid, 0), now.get(pid, 0)) for pid in {*before, *now}}


_log = logging.getLogger(__name__)
_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Mps:
    """Controls the MPS daemon at `pipe_dir` through NVIDIA's own program."""

    program: str
    pipe_dir: str

    def answers(self) -> bool:
        """Return whether a control daemon responds now."""
        return self._ask("get_server_list") is not None

    def end_clients(self, pids: Iterable[int]) -> list[int]:
        """Have the daemon terminate clients, and return those that it had."""
        wanted = set(pids)
        ended = []
        for server in _numbers(self._ask("get_server_list")):
            for client in _numbers(self._ask(f"get_client_list {server}")):
                if client in wanted:
                    self._ask(f"terminate_client {server} {client}")
                    ended.append(client)
        return ended

    def _ask(self, command: str) -> str | None:
        """Send one command and return its output; None if the daemon does not respond."""
        if not self.program or not Path(self.pipe_dir).is_dir():
            return None
        env = {**os.environ, "CUDA_MPS_PIPE_DIRECTORY": self.pipe_dir}
        try:
            done = subprocess.run(
                [self.program],
                input=f"{command}\n",
                capture_output=True,
                text=True,
                env=env,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            _log.info("MPS does not respond in %s: %s", self.pipe_dir, error)
            return None
        return done.stdout if done.returncode == 0 else None


def _numbers(answer: str | None) -> list[int]:
    return [int(word) for word in (answer or "").split() if word.isdecimal()]


_VISIBLE = "CUDA_VISIBLE_DEVICES"


class Offer(NamedTuple):
    """The GPUs that are offered: entries as in CUDA_VISIBLE_DEVICES, and what has named them."""

    entries: tuple[str, ...]
    by: str

    @classmethod
    def of(cls, config: LocalConfig, environ: Mapping[str, str] = os.environ) -> Offer | None:
        """Return what the configuration or else the environment names, None for all GPUs."""
        text, by = config.gpus, "c.LocalConfig.gpus"
        if text is None:
            text, by = environ.get(_VISIBLE), _VISIBLE
        return None if text is None else cls(tuple(map(str.strip, text.split(","))), by)

    def of_these(self, found: DeviceInventory) -> DeviceInventory:
        """Return an inventory with these GPUs only, and a note on each node that has others."""
        nodes = [self._limited(node) for node in found.nodes]
        kept = {device.uuid for node in nodes for device in node.devices}
        readings = {uuid: each for uuid, each in found.readings.items() if uuid in kept}
        return replace(found, nodes=tuple(nodes), readings=readings)

    def _limited(self, node: Node) -> Node:
        devices = self._named(node.devices)
        if devices == node.devices:
            return node
        count = f"{len(devices)} of {len(node.devices)} GPUs"
        if len(devices) == len(node.devices):
            count = "Not all MIG instances"
        note = f"{count} are offered, limited by {self.by}."
        return msgspec.structs.replace(node, devices=devices, note=note)

    def _named(self, devices: Sequence[Device]) -> tuple[Device, ...]:
        """Return the devices that are named; of a divided one, the instances that are.

        As in CUDA, a UUID may be cut short, and an entry that names nothing ends the list (CUDA
        Programming Guide, "CUDA Environment Variables").
        """
        kept: dict[str, Device] = {}
        for entry in self.entries:
            device = next((each for each in devices if _names(entry, each)), None)
            if device is None:
                break
            before = kept.get(device.uuid, msgspec.structs.replace(device, mig=()))
            more = [each for each in device.mig if _is_instance(entry, each)]
            instances = tuple(dict.fromkeys([*before.mig, *more])) if more else device.mig
            kept[device.uuid] = msgspec.structs.replace(device, mig=instances)
        return tuple(kept[each.uuid] for each in devices if each.uuid in kept)


def _names(entry: str, device: Device) -> bool:
    if entry.isdecimal():
        return device.index == int(entry)
    is_whole = entry.startswith("GPU-") and device.uuid.startswith(entry)
    return is_whole or any(_is_instance(entry, each) for each in device.mig)


def _is_instance(entry: str, instance: MigInstance) -> bool:
    return entry.startswith("MIG-") and instance.uuid.startswith(entry)


class Devices:
    """Reads the devices that the configuration selects."""

    def __init__(self, config: LocalConfig, driver: Driver | None, problem: str = "") -> None:
        self.mps = Mps(config.mps_control, config.mps_pipe_dir)
        self.problem = problem if config.devices == "nvml" else ""
        self._driver = driver if config.devices != "simulated" else None
        self.work = WorkLog(self._driver)
        self._simulated = simulated_nodes(config.nodes()) if config.devices != "nvml" else ()
        self.source = "nvml" if self._driver else "simulated" if self._simulated else "none"
        self._offer = Offer.of(config)

    @property
    def measured(self) -> bool:
        """Whether reading again can return anything new."""
        return self._driver is not None

    def read(self) -> DeviceInventory:
        """Read all devices now."""
        if self._driver is None:
            return DeviceInventory(self._simulated)
        found = self._driver.read(mps=self.mps.answers())
        return self._offer.of_these(found) if self._offer else found

    def close(self) -> None:
        """Close the driver."""
        if self._driver is not None:
            self._driver.close()


def find_devices(config: LocalConfig) -> Devices:
    """Select real or simulated devices, as configured and detected."""
    if config.devices == "simulated":
        return Devices(config, None)
    try:
        import pynvml  # noqa: PLC0415 (an optional dependency)
    except ModuleNotFoundError:
        problem = "No GPU found: the package nvidia-ml-py is not installed."
        return Devices(config, None, problem)
    driver, problem = open_driver(pynvml)
    return Devices(config, driver, problem)


def open_driver(pynvml: Any, late: float = LATE) -> tuple[Driver | None, str]:
    """Open the NVIDIA driver; None, and the problem, if it is missing or has no GPU.

    One that is late is taken for one that has GPUs.
    """
    driver = AskedDriver(lambda: Nvml(pynvml), late)
    try:
        found = driver.open()
    except pynvml.NVMLError as error:
        problem = f"No GPU found: the NVIDIA driver reports: {error}."
    except Exception as error:  # noqa: BLE001 (whatever the bindings do, sessions run without GPUs)
        _log.warning("NVML cannot be used.", exc_info=True)
        problem = f"No GPU found: NVML cannot be used ({error}). Install the latest nvidia-ml-py."
    else:
        if driver.is_late or any(node.devices for node in found.nodes):
            return driver, ""
        problem = "No GPU found: the NVIDIA driver lists none."
    driver.close()
    return None, problem


def simulated_nodes(settings: Iterable[SimulatedNode]) -> tuple[Node, ...]:
    """Return the configured nodes with their devices."""
    return tuple(
        Node(
            name=setting.name,
            devices=simulated_devices(setting.name, setting.gpus, setting.model, setting.memory),
            labels=setting.labels,
            separate=setting.separate,
        )
        for setting in settings
    )
