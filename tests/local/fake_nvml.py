"""A fake NVML as its documentation describes it, with devices that a test defines."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pynvml

GIB = 2**30


@dataclass
class Gpu:
    """A device, or a MIG instance of one."""

    uuid: str
    name: str = "NVIDIA A100-SXM4-40GB"
    memory: int = 40 * GIB
    used: int = 0
    reserved: int | None = 0
    """What the driver itself needs; None where it is too old to tell it from what is used."""
    utilisation: int | None = 7
    temperature: int | None = 45
    """In °C."""
    processes: list[tuple[int, int | None]] = field(default_factory=list)
    mps_processes: list[tuple[int, int | None]] = field(default_factory=list)
    drawing: list[int] = field(default_factory=list)
    """The pids of what draws with it."""
    instances: list[Gpu] | None = None
    slices: int = 0
    gone: bool = False
    odd: dict[str, Exception] = field(default_factory=dict)
    """What functions raise for it, by the ends of their names."""
    samples: list[tuple[int, int, int]] | None = None
    """What processes did: pid, time stamp and per cent; None where the driver cannot tell."""


class FakeNvml:
    """A fake of the module `pynvml`; handles are the devices themselves."""

    NVMLError = pynvml.NVMLError
    NVML_TEMPERATURE_GPU = pynvml.NVML_TEMPERATURE_GPU
    nvmlMemory_v2 = pynvml.nvmlMemory_v2  # noqa: N815 (pynvml's name)
    NVML_SUCCESS = pynvml.NVML_SUCCESS
    NVMLError_NotSupported = pynvml.NVMLError_NotSupported
    NVMLError_NotFound = pynvml.NVMLError_NotFound
    NVMLError_NoPermission = pynvml.NVMLError_NoPermission
    NVMLError_InvalidArgument = pynvml.NVMLError_InvalidArgument
    NVMLError_FunctionNotFound = pynvml.NVMLError_FunctionNotFound

    def __init__(self, *gpus: Gpu, driver: bool = True) -> None:
        self.gpus = list(gpus)
        self.driver = driver
        self.open = 0

    def nvmlInit(self) -> None:  # noqa: N802 (pynvml's name)
        if not self.driver:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)
        self.open += 1

    def nvmlShutdown(self) -> None:  # noqa: N802 (pynvml's name)
        self.open -= 1

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802 (pynvml's name)
        if not self.driver:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_DRIVER_NOT_LOADED)
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Gpu:  # noqa: N802 (pynvml's name)
        return self._there(self.gpus[index])

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Gpu:  # noqa: N802 (pynvml's name)
        instances = [instance for gpu in self.gpus for instance in gpu.instances or ()]
        for gpu in (*self.gpus, *instances):
            if gpu.uuid == uuid:
                return self._there(gpu)
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)

    def nvmlDeviceGetProcessUtilization(self, gpu: Gpu, since: int) -> list[Any]:  # noqa: N802 (pynvml's name)
        if self._there(gpu).samples is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        found = [
            SimpleNamespace(pid=pid, timeStamp=stamp, smUtil=used)
            for pid, stamp, used in gpu.samples
            if stamp > since
        ]
        if not found:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return found

    def nvmlDeviceGetUUID(self, gpu: Gpu) -> str:  # noqa: N802 (pynvml's name)
        return self._there(gpu).uuid

    def nvmlDeviceGetName(self, gpu: Gpu) -> str:  # noqa: N802 (pynvml's name)
        return self._there(gpu).name

    def nvmlDeviceGetMemoryInfo(self, gpu: Gpu, version: int = 0) -> Any:  # noqa: N802 (pynvml's name)
        reserved = self._there(gpu).reserved
        if version and reserved is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        used = gpu.used + (0 if version else reserved or 0)
        return SimpleNamespace(total=gpu.memory, used=used, free=gpu.memory - used)

    def nvmlDeviceGetUtilizationRates(self, gpu: Gpu) -> Any:  # noqa: N802 (pynvml's name)
        if self._there(gpu).utilisation is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return SimpleNamespace(gpu=gpu.utilisation, memory=0)

    def nvmlDeviceGetTemperature(self, gpu: Gpu, sensor: int) -> int:  # noqa: N802 (pynvml's name)
        assert sensor == self.NVML_TEMPERATURE_GPU
        if self._there(gpu).temperature is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return gpu.temperature

    def nvmlDeviceGetMigMode(self, gpu: Gpu) -> list[int]:  # noqa: N802 (pynvml's name)
        if self._there(gpu).instances is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return [1, 1]

    def nvmlDeviceGetMaxMigDeviceCount(self, gpu: Gpu) -> int:  # noqa: N802 (pynvml's name)
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, gpu: Gpu, index: int) -> Gpu:  # noqa: N802 (pynvml's name)
        if index >= len(gpu.instances or ()):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return gpu.instances[index]

    def nvmlDeviceGetAttributes(self, gpu: Gpu) -> Any:  # noqa: N802 (pynvml's name)
        return SimpleNamespace(gpuInstanceSliceCount=gpu.slices, memorySizeMB=gpu.memory // 2**20)

    def nvmlDeviceGetComputeRunningProcesses(self, gpu: Gpu) -> list[Any]:  # noqa: N802 (pynvml's name)
        return [SimpleNamespace(pid=p, usedGpuMemory=m) for p, m in self._there(gpu).processes]

    def nvmlDeviceGetMPSComputeRunningProcesses(self, gpu: Gpu) -> list[Any]:  # noqa: N802 (pynvml's name)
        return [SimpleNamespace(pid=p, usedGpuMemory=m) for p, m in gpu.mps_processes]

    def nvmlDeviceGetGraphicsRunningProcesses(self, gpu: Gpu) -> list[Any]:  # noqa: N802 (pynvml's name)
        return [SimpleNamespace(pid=p, usedGpuMemory=None) for p in self._there(gpu).drawing]

    def _there(self, gpu: Gpu) -> Gpu:
        if gpu.gone:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
        asked = sys._getframe(1).f_code.co_name.removeprefix("nvmlDeviceGet")
        if asked in gpu.odd:
            raise gpu.odd[asked]
        return gpu
