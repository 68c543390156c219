"""Read devices from the NVIDIA driver."""

from __future__ import annotations

import logging
import re
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from ...model.nodes import Reading
from ...model.resources import Device, MigInstance, Node
from .inventory import DeviceInventory, Work
from .programs import is_here

_log = logging.getLogger(__name__)
_MIB = 2**20
_RECENT = 2_000_000
"""Microseconds for which a sample of a process counts as its use at this moment."""
_PROFILE = re.compile(r"MIG\s+(\S+)")


class Nvml:
    """Reads devices through `pynvml`, which is passed in; raises its NVMLError if that fails.

    A device that stops responding stays in the inventory, as lost. `is_here` tells which pids of
    the driver are those of processes here.
    """

    def __init__(self, pynvml: Any, is_here: Callable[[int], bool] = is_here) -> None:
        self._nvml = pynvml
        self._is_here = is_here
        self._nvml.nvmlInit()
        self._known: dict[str, Device] = {}
        self._node = socket.gethostname()

    def read(self, *, mps: bool) -> DeviceInventory:
        """Read all devices; `mps` is whether an MPS control daemon responds."""
        devices: list[Device] = []
        readings: dict[str, Reading] = {}
        memory: dict[tuple[str, int], int | None] = {}
        for index in range(self._count()):
            try:
                handle = self._nvml.nvmlDeviceGetHandleByIndex(index)
                device = self._device(index, handle, mps=mps)
                reading = self._reading(handle)
                memory |= self._processes(device, handle)
            except self._nvml.NVMLError as error:
                _log.warning("GPU %d does not respond: %s", index, error)
                continue
            readings[device.uuid] = reading
            devices.append(device)
        lost = [_lost(d) for uuid, d in self._known.items() if uuid not in readings]
        devices = sorted([*devices, *lost], key=lambda device: device.index or 0)
        self._known = {device.uuid: device for device in devices}
        node = Node(name=self._node, devices=tuple(devices))
        here = {key: used for key, used in memory.items() if self._is_here(key[1])}
        hidden = len(here) < len(memory)
        return DeviceInventory((node,), readings, memory=here, hidden=hidden)

    def work(self, uuid: str, since: int) -> Work | None:
        """Read the work of a device, or MIG instance, since a time stamp; None if it is lost."""
        try:
            handle = self._nvml.nvmlDeviceGetHandleByUUID(uuid)
            whole = self._whole(handle)
            samples = self._samples(handle, since)
        except self._nvml.NVMLError as error:
            _log.warning("GPU %s does not respond: %s", uuid, error)
            return None
        if samples is None:
            return Work(whole, None, since)
        most: dict[int, int] = {}
        for sample in samples:
            most[sample.pid] = max(sample.smUtil, most.get(sample.pid, 0))
        stamp = max((sample.timeStamp for sample in samples), default=since)
        # Time stamps are microseconds since 1970. A process that rests has no new samples, or one
        # that is the mean since the time stamp: there is one sample for each process then.
        recent = time.time_ns() // 1000 - _RECENT
        ordered = sorted(samples, key=lambda sample: sample.timeStamp)
        newest = {each.pid: each.smUtil for each in ordered if each.timeStamp >= recent}
        return Work(whole, most, stamp, newest)

    def close(self) -> None:
        """Close the driver."""
        self._nvml.nvmlShutdown()

    def _count(self) -> int:
        try:
            return int(self._nvml.nvmlDeviceGetCount())
        except self._nvml.NVMLError as error:
            _log.warning("The NVIDIA driver does not respond: %s", error)
            return 0

    def _device(self, index: int, handle: Any, *, mps: bool) -> Device:
        return Device(
            index=index,
            uuid=_text(self._nvml.nvmlDeviceGetUUID(handle)),
            model=_text(self._nvml.nvmlDeviceGetName(handle)),
            memory=self._memory(handle).total // _MIB,
            mps=mps,
            mig=tuple(self._instances(handle)),
        )

    def _instances(self, handle: Any) -> list[MigInstance]:
        found = []
        for instance in self._mig_handles(handle):
            attributes = self._nvml.nvmlDeviceGetAttributes(instance)
            slices, memory = attributes.gpuInstanceSliceCount, attributes.memorySizeMB
            name = _PROFILE.search(_text(self._nvml.nvmlDeviceGetName(instance)))
            profile = name[1] if name else f"{slices}g.{round(memory / 1024)}gb"
            uuid = _text(self._nvml.nvmlDeviceGetUUID(instance))
            found.append(
                MigInstance(uuid=uuid, profile=profile.lower(), memory=memory, slices=slices)
            )
        return found

    def _mig_handles(self, handle: Any) -> list[Any]:
        if not self._optional(lambda: self._nvml.nvmlDeviceGetMigMode(handle)[0]):
            return []
        most = self._nvml.nvmlDeviceGetMaxMigDeviceCount(handle)
        found = (
            self._optional(lambda i=i: self._nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, i))
            for i in range(most)
        )
        return [instance for instance in found if instance is not None]

    def _reading(self, handle: Any) -> Reading:
        utilisation = self._optional(lambda: self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        used = self._optional(lambda: self._memory(handle).used // _MIB)
        temperature = self._optional(
            lambda: self._nvml.nvmlDeviceGetTemperature(handle, self._nvml.NVML_TEMPERATURE_GPU)
        )
        return Reading(utilisation=utilisation, memory_used=used, temperature=temperature)

    def _memory(self, handle: Any) -> Any:
        """Read the memory of a device. Old drivers count what they reserve as used."""
        read = self._nvml.nvmlDeviceGetMemoryInfo
        return self._optional(lambda: read(handle, self._nvml.nvmlMemory_v2)) or read(handle)

    def _processes(self, device: Device, handle: Any) -> dict[tuple[str, int], int | None]:
        """Map (device, pid) to the MiB that the process holds there, None if not reported.

        Where MIG is on, each instance lists its own processes. A process that is listed both as an
        ordinary and as an MPS client counts once.
        """
        handles = self._mig_handles(handle) or [handle]
        calls = (
            self._nvml.nvmlDeviceGetComputeRunningProcesses,
            self._nvml.nvmlDeviceGetMPSComputeRunningProcesses,
        )
        found: dict[tuple[str, int], int | None] = {}
        for owner in handles:
            listed: dict[int, int | None] = {}
            for call in calls:
                for process in self._optional(lambda c=call, o=owner: c(o)) or ():
                    used = process.usedGpuMemory
                    listed[process.pid] = None if used is None else used // _MIB
            for pid, used in listed.items():
                before = found.get((device.uuid, pid), 0)
                total = None if used is None or before is None else before + used
                found[device.uuid, pid] = total
        return found

    def _whole(self, handle: Any) -> int | None:
        try:
            found: int | None = self._optional(
                lambda: self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu
            )
        except self._nvml.NVMLError_InvalidArgument:
            return None  # some drivers raise this for a MIG instance
        return found

    def _samples(self, handle: Any, since: int) -> Sequence[Any] | None:
        """Read the utilisation samples of processes; None if this device has none to offer.

        "Not found" means that nothing was done. So does an error with the code "success": pynvml
        raises it when there are no samples.
        """
        try:
            found: Sequence[Any] = self._nvml.nvmlDeviceGetProcessUtilization(handle, since)
        except self._nvml.NVMLError_NotFound:
            return ()
        except (
            self._nvml.NVMLError_NotSupported,
            self._nvml.NVMLError_NoPermission,
            self._nvml.NVMLError_FunctionNotFound,
            self._nvml.NVMLError_InvalidArgument,
        ):
            return None
        except self._nvml.NVMLError as error:
            if error.value == self._nvml.NVML_SUCCESS:
                return ()
            raise
        return [sample for sample in found if sample.timeStamp > since]

    def _optional(self, query: Any) -> Any:
        """Return the result of a query that not every device supports; None if unsupported.

        The error of a lost device is passed on.
        """
        try:
            return query()
        except (
            self._nvml.NVMLError_NotSupported,
            self._nvml.NVMLError_NotFound,
            self._nvml.NVMLError_NoPermission,
            self._nvml.NVMLError_FunctionNotFound,
        ):
            return None


def _lost(device: Device) -> Device:
    return msgspec.structs.replace(device, lost=True)


def _text(value: str | bytes) -> str:
    """Read a string of pynvml, which older versions give as bytes."""
    return value.decode() if isinstance(value, bytes) else value
