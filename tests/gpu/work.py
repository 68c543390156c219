"""Work on a GPU through the library of the NVIDIA driver alone: the program of the tests' sessions.

    python work.py STEP[=NUMBER] ...

Each step prints a line of JSON, `{STEP: ANSWER}`. What the driver refuses ends the program, with
the driver's name for it on standard error, as programs that use CUDA report it.
"""

from __future__ import annotations

import ctypes
import json
import signal
import sys
import time
import uuid
from typing import Any

MIB = 2**20
_MULTIPROCESSORS = 16
"""CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT"""

_THREADS, _BLOCKS, _ROUNDS = 256, 4096, 20_000
_KERNEL = b"""
.version 6.3
.target sm_70
.address_size 64
.visible .entry compute(.param .u32 rounds, .param .u64 result)
{
    .reg .pred %done;
    .reg .u32 %round, %last;
    .reg .f32 %value;
    .reg .u64 %to;
    ld.param.u32 %last, [rounds];
    ld.param.u64 %to, [result];
    cvta.to.global.u64 %to, %to;
    mov.u32 %round, 0;
    mov.f32 %value, 0f3F000000;
next:
    fma.rn.f32 %value, %value, %value, %value;
    add.u32 %round, %round, 1;
    setp.lt.u32 %done, %round, %last;
    @%done bra next;
    st.global.f32 [%to], %value;
    ret;
}
"""


class Gpu:
    """The first GPU that this process sees."""

    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._ask("cuInit", 0)
        self._device = ctypes.c_int()
        self._ask("cuDeviceGet", ctypes.byref(self._device), 0)
        context = ctypes.c_void_p()
        self._ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._device)
        self._ask("cuCtxSetCurrent", context)
        self._kernel: ctypes.c_void_p | None = None

    def devices(self, _: float) -> list[str]:
        """Return the UUIDs of the GPUs that this process sees."""
        count = ctypes.c_int()
        self._ask("cuDeviceGetCount", ctypes.byref(count))
        return [self._uuid(index) for index in range(count.value)]

    def memory(self, _: float) -> dict[str, int]:
        """Return the free and the total MiB that the driver reports to this process."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._ask("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return {"free": free.value // MIB, "total": total.value // MIB}

    def processors(self, _: float) -> int:
        """Return the number of multiprocessors that this process may use."""
        found = ctypes.c_int()
        self._ask("cuDeviceGetAttribute", ctypes.byref(found), _MULTIPROCESSORS, self._device)
        return found.value

    def hold(self, mib: float) -> int:
        """Allocate so many MiB, write to them and keep them."""
        size = int(mib) * MIB
        self._fill(self._allocate(size), size)
        return int(mib)

    def rate(self, seconds: float) -> float:
        """Compute for so many seconds; return the kernels per second."""
        self._compute()
        begin, done = time.monotonic(), 0
        while (spent := time.monotonic() - begin) < seconds:
            self._compute()
            done += 1
        return round(done / spent, 1)

    def rest(self, seconds: float) -> float:
        """Do nothing for so many seconds."""
        time.sleep(seconds)
        return seconds

    def stubborn(self, _: float) -> bool:
        """Ignore requests to end."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return True

    def _uuid(self, index: int) -> str:
        device, raw = ctypes.c_int(), (ctypes.c_ubyte * 16)()
        self._ask("cuDeviceGet", ctypes.byref(device), index)
        self._ask("cuDeviceGetUuid", raw, device)
        return f"GPU-{uuid.UUID(bytes=bytes(raw))}"

    def _allocate(self, size: int) -> ctypes.c_void_p:
        found = ctypes.c_void_p()
        self._ask("cuMemAlloc_v2", ctypes.byref(found), ctypes.c_size_t(size))
        return found

    def _fill(self, where: ctypes.c_void_p, size: int) -> None:
        self._ask("cuMemsetD32_v2", where, ctypes.c_uint(1), ctypes.c_size_t(size // 4))
        self._ask("cuCtxSynchronize")

    def _compute(self) -> None:
        """Run a kernel that uses every multiprocessor, to its end."""
        if self._kernel is None:
            self._load()
        one, threads = (ctypes.c_uint(1), ctypes.c_uint(1)), ctypes.c_uint(_THREADS)
        arguments = (ctypes.c_void_p * 2)(
            ctypes.addressof(self._rounds), ctypes.addressof(self._result)
        )
        grid = (ctypes.c_uint(_BLOCKS), *one, threads, *one)
        self._ask("cuLaunchKernel", self._kernel, *grid, ctypes.c_uint(0), None, arguments, None)
        self._ask("cuCtxSynchronize")

    def _load(self) -> None:
        module, self._kernel = ctypes.c_void_p(), ctypes.c_void_p()
        self._ask("cuModuleLoadData", ctypes.byref(module), _KERNEL)
        self._ask("cuModuleGetFunction", ctypes.byref(self._kernel), module, b"compute")
        self._rounds, self._result = ctypes.c_uint(_ROUNDS), self._allocate(4)

    def _ask(self, function: str, *arguments: Any) -> None:
        """Call a function of the driver; exit with the name of its error if it fails."""
        if code := getattr(self._cuda, function)(*arguments):
            name = ctypes.c_char_p()
            self._cuda.cuGetErrorName(code, ctypes.byref(name))
            sys.exit(f"{function}: {(name.value or str(code).encode()).decode()}")


def main(steps: list[str]) -> None:
    """Do every step, and print what it returns."""
    gpu = Gpu()
    for step in steps:
        name, _, number = step.partition("=")
        answer = getattr(gpu, name)(float(number or 0))
        print(json.dumps({name: answer}), flush=True)  # noqa: T201 (its log is the answer)


if __name__ == "__main__":
    main(sys.argv[1:])
