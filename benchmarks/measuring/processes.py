"""Running a command to its end: how long it took, and the memory of its processes."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import psutil

from ..errors import CouldNotMeasure
from .memory import peak

_PAUSE = 0.05


@dataclass(frozen=True)
class Ran:
    """What a command took, and what it printed.

    Seconds, bytes of all its processes at most, and seconds of processors.
    """

    seconds: float
    memory: int
    said: str
    processor: float = 0.0


def run_measured(
    command: Sequence[str], variables: Mapping[str, str], folder: Path | None = None
) -> Ran:
    """Run a command. Raises CouldNotMeasure with its last lines if it fails."""
    environment = {**os.environ, **variables}
    with TemporaryFile() as said, TemporaryFile() as errors:
        before, started = _processor(), time.monotonic()
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=said, stderr=errors)
        memory = 0
        while process.poll() is None:
            memory = max(memory, _tree(process.pid))
            time.sleep(_PAUSE)
        seconds = time.monotonic() - started
        said.seek(0)
        errors.seek(0)
        output, problem = said.read().decode(), errors.read().decode(errors="replace")
    if process.returncode:
        last = "\n".join([*output.splitlines(), *problem.splitlines()][-5:])
        raise CouldNotMeasure(f"{command[0]} {command[1]} failed: {last}")
    return Ran(seconds, memory, output, _processor() - before)


def _processor() -> float:
    """Return the processor time of all processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree(pid: int) -> int:
    """Return the peak memory of a process and of those that it has started."""
    total = 0
    with suppress(psutil.NoSuchProcess, OSError, LookupError):
        root = psutil.Process(pid)
        for each in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess, OSError, LookupError):
                total += peak(each.pid)
    return total
