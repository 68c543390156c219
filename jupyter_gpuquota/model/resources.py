"""Shares, devices and isolation. Integers only: milli-GPU, MiB and whole per cent."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from .struct import ADDED, Model, Open

MILLI = 1000
"""Milli-GPU in one whole device."""

Strength = Literal["none", "cooperative", "enforced", "hardware"]
Scope = Literal["", "process", "container", "session"]


class Share(Model, frozen=True, kw_only=True):
    """What a session requests of GPUs.

    Exactly one form is used: nothing (CPU only); `milli` (a fraction below 1000, whole devices, or
    equal parts of several devices); `memory` (MiB on one device); or `mig` (a profile such as
    `1g.10gb`). `compute` (5 to 100 %, steps of 5) may go with a fraction or with memory; 0 means
    not limited.
    """

    milli: int = 0
    memory: int = 0
    compute: int = 0
    mig: str = ""

    @property
    def wants_gpu(self) -> bool:
        """Return whether it includes any GPU."""
        return bool(self.milli or self.memory or self.mig)

    @property
    def devices(self) -> int:
        """Return the number of whole devices; 0 for every form that shares one."""
        return 0 if self.divided else self.milli // MILLI

    @property
    def count(self) -> int:
        """Return of how many devices it is: the fewest that `milli` fits on."""
        return max(1, -(-self.milli // MILLI))

    @property
    def portion(self) -> int:
        """Return the milli-GPU of each device; 0 where they depend on the device."""
        return -(-self.milli // self.count)

    @property
    def divided(self) -> bool:
        """Return whether it is equal parts of several devices."""
        return self.milli > MILLI and self.milli % MILLI > 0

    @property
    def text(self) -> str:
        """Return the share in the words of every screen, for example `0.5 GPU, 30 % compute`."""
        if not self.wants_gpu:
            return "CPU only"
        if self.mig:
            return f"MIG {self.mig}"
        amount = counted_gpus(self.milli) if self.milli else memory_text(self.memory)
        if self.divided:
            return f"{amount} ({gpus_text(self.portion)} of each of {self.count})"
        return f"{amount}, {self.compute} % compute" if self.compute else amount


def gpus_text(milli: int) -> str:
    """Return milli-GPU as GPUs without trailing zeros: 500 -> `0.5`."""
    whole, rest = divmod(milli, MILLI)
    return f"{whole}.{rest:03d}".rstrip("0").rstrip(".")


def counted_gpus(milli: int) -> str:
    """Return milli-GPU with their unit: `0.5 GPU`, `2 GPUs`."""
    return f"{gpus_text(milli)} {'GPU' if 0 < milli <= MILLI else 'GPUs'}"


def memory_text(mib: int) -> str:
    """Return MiB as `8 GiB` where that is exact, else `8200 MiB`."""
    return f"{mib // 1024} GiB" if mib and mib % 1024 == 0 else f"{mib} MiB"


class Isolation(Model, frozen=True, kw_only=True):
    """What isolates the share, and how that can be bypassed.

    `scope` is the unit that each limit applies to; empty where nothing is limited.
    """

    memory: Open[Strength]
    compute: Open[Strength]
    scope: Open[Scope] = ""
    bypass: tuple[str, ...] = ()
    note: str = ""


class MigInstance(Model, frozen=True, kw_only=True):
    """One MIG instance of a device. `memory` in MiB, `slices` of the device's seven."""

    uuid: str
    profile: str
    memory: int
    slices: int


class Device(Model, frozen=True, kw_only=True):
    """One GPU. `memory` in MiB. `lost` when the driver no longer responds for it.

    `problem` says why nothing can run on it, empty if something can.

    `index` is its number in the node, None where the engine does not report it; our own scheduler
    uses only devices that have one. With neither index nor `uuid` it stands for `count` equal GPUs
    of a node, which the engine does not tell apart.
    """

    index: int | None = None
    uuid: str
    model: str
    memory: int
    simulated: bool = False
    mps: bool = False
    mig: tuple[MigInstance, ...] = ()
    lost: bool = False
    count: Annotated[int, ADDED] = 1
    problem: Annotated[str, ADDED] = ""

    @property
    def milli(self) -> int:
        """Return all of it, in milli-GPU."""
        return MILLI * self.count

    def holds(self, piece: Slice) -> bool:
        """Return whether a slice on the same node is a part of this device.

        A number alone says nothing where UUIDs are known: another GPU gets it when one is gone.
        """
        if piece.uuid and self.uuid:
            return piece.uuid in self.uuids
        if self.index is not None and piece.index is not None:
            return self.index == piece.index
        if piece.uuid:
            return piece.uuid in self.uuids
        return not self.told_apart and piece.index is None and bool(self.mig) == bool(piece.mig)

    @property
    def uuids(self) -> tuple[str, ...]:
        """Return its UUID and those of its MIG instances."""
        return (self.uuid, *(instance.uuid for instance in self.mig))

    @property
    def usable(self) -> bool:
        """Return whether something can run on it."""
        return not self.lost and not self.problem

    @property
    def told_apart(self) -> bool:
        """Return whether it is one certain GPU."""
        return self.index is not None or self.uuid != ""


class Node(Model, frozen=True, kw_only=True):
    """One machine with its devices.

    `labels` are the node groups that it belongs to. With `separate` set, sessions that share
    compute and sessions that share memory alone are never placed together on it. `problem` says why
    nothing new starts on it, such as `not ready`; empty if something can. `note` says what else is
    worth knowing, such as that not all of its GPUs are offered.
    """

    name: str
    devices: tuple[Device, ...] = ()
    labels: tuple[str, ...] = ()
    separate: bool = False
    problem: str = ""
    note: Annotated[str, ADDED] = ""

    @property
    def simulated(self) -> bool:
        """Return whether any device of the node is simulated."""
        return any(device.simulated for device in self.devices)


def simulated_devices(node: str, count: int, model: str, memory: int) -> tuple[Device, ...]:
    """Return the simulated devices of a node, each with so many MiB of `memory`."""
    return tuple(
        Device(index=index, uuid=f"SIM-{node}-{index}", model=model, memory=memory, simulated=True)
        for index in range(count)
    )


class Slice(Model, frozen=True, kw_only=True):
    """The part of one device that one session holds.

    `milli` is its cost in quota; `memory` (MiB) and `compute` (%) are its limits. `uuid` is that of
    the device, or of the MIG instance where `mig` is set, empty where the engine does not report
    it; `index` is the device's.
    """

    index: int | None = None
    uuid: str = ""
    milli: int
    memory: int
    compute: int = 0
    mig: str = ""


def device_text(device: Device | Slice) -> str:
    """Return the name of a device on screens: its number, or the beginning of its UUID.

    Empty where the engine reports neither.
    """
    if device.index is not None:
        return str(device.index)
    return device.uuid.removeprefix("GPU-").removeprefix("MIG-")[:8]


def devices_text(device: Device) -> str:
    """Return the name of a device in a list: as above, or how many GPUs it stands for."""
    return device_text(device) or counted_gpus(device.milli)


class Holding(Model, frozen=True, kw_only=True):
    """GPUs in use by a workload that is not one of our sessions, with its `name`."""

    name: str
    placement: Placement


class Placement(Model, frozen=True, kw_only=True):
    """Where a session runs."""

    node: str
    slices: tuple[Slice, ...] = ()
    simulated: bool = False

    @property
    def milli(self) -> int:
        """Return the cost of the placement in quota, in milli-GPU."""
        return sum([piece.milli for piece in self.slices])

    @property
    def text(self) -> str:
        """Return the place, for example `dgx1-2 GPU 3 (simulated)`."""
        gpus = ", ".join(name for piece in self.slices if (name := device_text(piece)))
        place = f"{self.node} GPU {gpus}" if gpus else self.node
        return f"{place} (simulated)" if self.simulated else place


class Usage(Model, frozen=True, kw_only=True):
    """The measured usage of a session.

    `memory` is GPU memory in MiB, None where the driver does not report it; `over`: it exceeds the
    session's share. `peak` is the most that this run has used; both remain when it has ended.
    """

    at: datetime
    memory: int | None = None
    over: bool = False
    peak: int | None = None
    since: datetime | None = None
