"""The processes that use GPUs, in sessions and outside of them.

In a container some drivers report the machine's pids, which may be those of other processes there;
580 translates them, but not those of utilisation samples of processes outside.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace as replaced
from pathlib import Path

import psutil
from msgspec.structs import replace

from ...model.nodes import GpuProgram
from .inventory import DeviceInventory

_FIRST_NAMESPACE = 0xEFFFFFFC
"""The inode of the machine's own pid namespace; containers have others (linux/proc_ns.h)."""
_PROXY = "nvidia-cuda-mps"
"""How the names of MPS servers begin: they work for other processes."""
_DEVICES = "/dev/nvidia"


@functools.cache
def in_container() -> bool:
    """Return whether pids here are not those of the machine."""
    return Path("/proc/self/ns/pid").stat().st_ino != _FIRST_NAMESPACE


def is_here(pid: int) -> bool:
    """Return whether a pid that the driver reports is that of a process here."""
    return not in_container() or has_open(pid, _DEVICES)


def has_open(pid: int, prefix: str) -> bool:
    """Return whether a process has opened such a file; False if that cannot be read."""
    with suppress(OSError):
        found = Path(f"/proc/{pid}/fd").iterdir()
        return any(str(path.resolve()).startswith(prefix) for path in found)
    return False


def stranger(pid: int) -> GpuProgram | None:
    """Return a process as a program outside sessions; None for an MPS server or an unknown pid."""
    try:
        process = psutil.Process(pid)
        name, owner = process.name(), process.username()
    except psutil.Error:
        return None
    return None if name.startswith(_PROXY) else GpuProgram(name=name, owner=owner, pid=pid)


def with_programs(
    inventory: DeviceInventory, owners_of: Callable[[], Mapping[int, str]]
) -> DeviceInventory:
    """Return an inventory whose readings name the programs on each device.

    `owners_of` maps processes to their sessions.
    """
    if not inventory.memory:
        return inventory
    owners = owners_of()
    found: dict[str, list[GpuProgram]] = defaultdict(list)
    for (uuid, pid), memory in inventory.memory.items():
        if program := stranger(pid):
            session = owners.get(pid, "")
            found[uuid].append(replace(program, session=session, memory=memory))
    readings = {
        uuid: replace(reading, programs=tuple(found.get(uuid, ())))
        for uuid, reading in inventory.readings.items()
    }
    return replaced(inventory, readings=readings)
