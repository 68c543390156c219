"""Read devices from the NVIDIA driver."""

from __future__ import annotations

import logging
import re
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import psutil

from ...model.nodes import Reading
from ...model.resources import Device, MigInstance, Node
from .inventory import DeviceInventory, Work
from .programs import is_here

_log = logging.getLogger(__name__)
_MIB = 2**20
_RECENT = 2_000_000
"""Microseconds for which a sample of a process counts as its use at this moment."""
_PROFILE = re.compile(r"MIG\s+(\S+)")
NO_INSTANCES = "MIG is on, and there are no instances: create some, or turn MIG off."
_GONE = {1, 15, 16}
"""NVML_ERROR_UNINITIALIZED, _GPU_IS_LOST and _RESET_REQUIRED of nvml.h."""
_NONE = {3, 4, 13, 2}
"""NVML_ERROR_NOT_SUPPORTED, _NO_PERMISSION, _FUNCTION_NOT_FOUND, _INVALID_ARGUMENT of nvml.h."""
_NOT_FOUND = 6
_READINGS = 2
"""Readings in a row without a device after which it is lost."""


class Nvml:
    """Reads devices through `pynvml`, which is passed in; raises its NVMLError if that fails.

    A device that stops responding stays in the inventory, as lost after two readings. A figure that
    a device or driver does not have, or that cannot be read, is None. `is_here` tells which pids
    of the driver are those of processes here.
    """

    def __init__(self, pynvml: Any, is_here: Callable[[int], bool] = is_here) -> None:
        self._nvml = pynvml
        self._is_here = is_here
        self._nvml.nvmlInit()
        self._known: dict[str, Device] = {}
        self._missed: dict[str, int] = {}
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
            except Exception as error:  # noqa: BLE001 (no answer of a driver ends the controller)
                _log.warning("GPU %d does not respond: %s", index, error)
                continue
            readings[device.uuid] = reading
            devices.append(device)
        missing = [device for uuid, device in self._known.items() if uuid not in readings]
        self._missed = {each.uuid: self._missed.get(each.uuid, 0) + 1 for each in missing}
        gone = [
            msgspec.structs.replace(each, lost=self._missed[each.uuid] >= _READINGS)
            for each in missing
        ]
        devices = sorted([*devices, *gone], key=lambda device: device.index or 0)
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
            drawing = self._drawing(handle)
        except self._nvml.NVMLError as error:
            _log.warning("GPU %s does not respond: %s", uuid, error)
            return None
        if samples is None:
            return Work(whole, None, since, drawing=drawing)
        most: dict[int, int] = {}
        for sample in samples:
            most[sample.pid] = max(sample.smUtil, most.get(sample.pid, 0))
        stamp = max((sample.timeStamp for sample in samples), default=since)
        # Time stamps are microseconds since 1970. A process that rests has no new samples, or one
        # that is the mean since the time stamp: there is one sample for each process then.
        recent = time.time_ns() // 1000 - _RECENT
        ordered = sorted(samples, key=lambda sample: sample.timeStamp)
        newest = {each.pid: each.smUtil for each in ordered if each.timeStamp >= recent}
        return Work(whole, most, stamp, newest, drawing=drawing)

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
            model=self._name(handle) or f"GPU {index}",
            memory=self._total(handle) // _MIB,
            mps=mps,
            mig=tuple(instances := self._instances(handle)),
            problem="" if instances or not self._is_divided(handle) else NO_INSTANCES,
        )

    def _name(self, handle: Any) -> str:
        """Return the name of a device, empty if it cannot be read.

        WSL's driver 555.85 gives names that are no text (wookayin/gpustat#170).
        """
        return self._figure(lambda: _text(self._nvml.nvmlDeviceGetName(handle))) or ""

    def _total(self, handle: Any) -> int:
        """Return the bytes of a device; those of the machine where it has none of its own.

        That is so on GB10 (Syllo/nvtop#411).
        """
        found: int | None = self._figure(lambda: self._memory(handle).total)
        return psutil.virtual_memory().total if found is None else found

    def _instances(self, handle: Any) -> list[MigInstance]:
        found = []
        for instance in self._mig_handles(handle):
            attributes = self._nvml.nvmlDeviceGetAttributes(instance)
            slices, memory = attributes.gpuInstanceSliceCount, attributes.memorySizeMB
            name = _PROFILE.search(self._name(instance))
            profile = name[1] if name else f"{slices}g.{round(memory / 1024)}gb"
            uuid = _text(self._nvml.nvmlDeviceGetUUID(instance))
            found.append(
                MigInstance(uuid=uuid, profile=profile.lower(), memory=memory, slices=slices)
            )
        return found

    def _is_divided(self, handle: Any) -> bool:
        """Return whether MIG is on: then CUDA sees no whole GPU, be there instances or not."""
        return bool(self._figure(lambda: self._nvml.nvmlDeviceGetMigMode(handle)[0]))

    def _mig_handles(self, handle: Any) -> list[Any]:
        if not self._is_divided(handle):
            return []
        most = self._nvml.nvmlDeviceGetMaxMigDeviceCount(handle)
        found = (
            self._figure(lambda i=i: self._nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, i))
            for i in range(most)
        )
        return [instance for instance in found if instance is not None]

    def _reading(self, handle: Any) -> Reading:
        utilisation = self._figure(lambda: self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        used = self._figure(lambda: self._memory(handle).used // _MIB)
        temperature = self._figure(
            lambda: self._nvml.nvmlDeviceGetTemperature(handle, self._nvml.NVML_TEMPERATURE_GPU)
        )
        return Reading(utilisation=utilisation, memory_used=used, temperature=temperature)

    def _memory(self, handle: Any) -> Any:
        """Read the memory of a device. Old drivers count what they reserve as used."""
        read = self._nvml.nvmlDeviceGetMemoryInfo
        return self._figure(lambda: read(handle, self._nvml.nvmlMemory_v2)) or read(handle)

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
                for process in self._figure(lambda c=call, o=owner: c(o)) or ():
                    used = process.usedGpuMemory
                    listed[process.pid] = None if used is None else used // _MIB
            for pid, used in listed.items():
                before = found.get((device.uuid, pid), 0)
                total = None if used is None or before is None else before + used
                found[device.uuid, pid] = total
        return found

    def _whole(self, handle: Any) -> int | None:
        found: int | None = self._figure(
            lambda: self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu
        )
        return found

    def _drawing(self, handle: Any) -> frozenset[int]:
        found = self._figure(lambda: self._nvml.nvmlDeviceGetGraphicsRunningProcesses(handle))
        return frozenset(process.pid for process in found or ())

    def _samples(self, handle: Any, since: int) -> Sequence[Any] | None:
        """Read the utilisation samples of processes; None if this device has none to offer.

        "Not found" means that nothing was done. So does an error with the code "success": pynvml
        raises it when there are no samples.
        """
        try:
            found: Sequence[Any] = self._nvml.nvmlDeviceGetProcessUtilization(handle, since)
        except self._nvml.NVMLError as error:
            if error.value in {self._nvml.NVML_SUCCESS, _NOT_FOUND}:
                return ()
            if error.value in _NONE:
                return None
            raise
        except AttributeError:  # bindings that are older than the function
            return None
        return [sample for sample in found if sample.timeStamp > since]

    def _figure(self, query: Any) -> Any:
        """Return what a device says of itself; None if it, its driver or the bindings cannot.

        The error of a lost device is passed on.
        """
        try:
            return query()
        except self._nvml.NVMLError as error:
            if error.value in _GONE:
                raise
            return None
        except (AttributeError, TypeError, UnicodeDecodeError):
            return None  # older bindings lack functions and arguments


def _text(value: str | bytes) -> str:
    """Read a string of pynvml, which older versions give as bytes."""
    return value.decode() if isinstance(value, bytes) else value
