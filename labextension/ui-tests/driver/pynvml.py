"""The module `pynvml` with the driver of the tests: its GPUs are in the file GPUQUOTA_TEST_GPUS.

The file has a list of GPUs with the fields of `tests.local.fake_nvml.Gpu`, memory in MiB; a process
is its pid, the memory that it holds, and how busy it keeps the GPU. Tests write it at any time.
"""

import importlib.util
import json
import os
import sys
import time
from importlib.machinery import PathFinder
from pathlib import Path

HERE = Path(__file__).resolve().parent
MIB = 2**20

elsewhere = [path for path in sys.path if Path(path).resolve() != HERE]
spec = PathFinder.find_spec("pynvml", elsewhere)
sys.modules["pynvml"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["pynvml"])
sys.path.append(str(HERE.parents[2]))

from tests.local.fake_nvml import FakeNvml, Gpu  # noqa: E402 (it needs the real module)


class WrittenNvml(FakeNvml):
    """The driver of the GPUs in a file."""

    @property
    def gpus(self) -> list[Gpu]:
        """The GPUs as the file describes them now."""
        return [self._gpu(**each) for each in json.loads(self._file.read_text())]

    @gpus.setter
    def gpus(self, _: list[Gpu]) -> None:
        self._file = Path(os.environ["GPUQUOTA_TEST_GPUS"])

    def _gpu(self, memory: int, used: int, processes: list[list[int]], **fields: object) -> Gpu:
        now = time.time_ns() // 1000
        return Gpu(
            memory=memory * MIB,
            used=used * MIB,
            processes=[(pid, held * MIB) for pid, held, _ in processes],
            samples=[(pid, now, busy) for pid, _, busy in processes],
            **fields,
        )


sys.modules["pynvml"] = WrittenNvml()
