"""The present usage of nodes, and the recent one of their GPUs by sessions."""

from __future__ import annotations

from typing import Annotated

from .resources import Device
from .struct import ADDED, Model


class GpuProgram(Model, frozen=True, kw_only=True):
    """A program on a GPU: a process of a machine, a pod of a cluster.

    `session` is the id of its session, empty for a program outside sessions. `name` is that of the
    command or pod, empty if it is not shown. `owner` is its account, empty if unknown. `memory` is
    what it holds on this GPU in MiB, None where the driver does not report it.
    """

    session: str = ""
    name: str = ""
    owner: str = ""
    pid: int | None = None
    memory: int | None = None


class Reading(Model, frozen=True, kw_only=True):
    """The newest measurement of one device; None where the driver does not report it.

    `utilisation` in per cent and `memory_used` in MiB, over all processes; `temperature` in °C.
    The rest is set where the engine does not tell the GPUs of a node apart: on which `node` it is,
    its `name` there, its `memory` in MiB (0 if unknown), and whether it is split by MIG.
    """

    utilisation: int | None = None
    memory_used: int | None = None
    temperature: int | None = None
    programs: tuple[GpuProgram, ...] = ()
    node: str = ""
    name: str = ""
    memory: int = 0
    mig: bool = False


class SliceUse(Model, frozen=True, kw_only=True):
    """A part of a device in use; an empty `session` is a workload that is not a session.

    `milli` and `memory` (MiB) are its share, `used` (MiB) what was measured, None where the driver
    does not report it; `over` is true while it uses more memory than its share.
    """

    session: str
    name: str
    project: str
    owner: str
    milli: int
    memory: int
    compute: int = 0
    mig: str = ""
    used: int | None = None
    over: bool = False


class DeviceUse(Model, frozen=True, kw_only=True):
    """The usage of a device. `free` in milli-GPU; measurements are None if unknown.

    `utilisation` in per cent and `memory_used` in MiB are the driver's, for all processes;
    `temperature` is in °C, `programs` is what uses it, in sessions and outside. Of GPUs that the
    engine does not tell apart these are the mean, the sum and the highest; `gpus` has each of them.
    """

    device: Device
    slices: tuple[SliceUse, ...]
    free: int
    utilisation: int | None = None
    memory_used: int | None = None
    temperature: Annotated[int | None, ADDED] = None
    programs: Annotated[tuple[GpuProgram, ...], ADDED] = ()
    gpus: Annotated[tuple[Reading, ...], ADDED] = ()

    def utilisation_of(self, session: str) -> int | None:
        """Return the mean utilisation of the GPUs that a session has here, None if unknown."""
        own = (gpu for gpu in self.gpus if any(each.session == session for each in gpu.programs))
        known = [gpu.utilisation for gpu in own if gpu.utilisation is not None]
        if self.gpus:
            return sum(known) // len(known) if known else None
        return self.utilisation


class NodeUse(Model, frozen=True, kw_only=True):
    """The usage of a node. `problem` says why nothing new starts on it, empty if something can.

    `note` says what else is worth knowing of it, such as that not all of its GPUs are offered.
    """

    name: str
    simulated: bool
    devices: tuple[DeviceUse, ...]
    problem: Annotated[str, ADDED] = ""
    note: Annotated[str, ADDED] = ""


class Nodes(Model, frozen=True, kw_only=True):
    """List the nodes; `source` says where the inventory comes from."""

    nodes: tuple[NodeUse, ...]
    source: str
    revision: str


class GpuUse(Model, frozen=True, kw_only=True):
    """A GPU as it was measured last; measurements are None where they are unknown.

    `name` is its number on its node, or the beginning of its UUID. `memory` and `memory_used` are
    in MiB, `utilisation` in per cent, `temperature` in °C. `sessions` are the ids of those that
    have a share of it, as far as the caller sees them; `mine` is whether one is the caller's.
    """

    node: str
    name: str
    model: str
    memory: int
    utilisation: int | None = None
    memory_used: int | None = None
    temperature: int | None = None
    programs: tuple[GpuProgram, ...] = ()
    sessions: tuple[str, ...] = ()
    mine: bool = False


class GpuList(Model, frozen=True, kw_only=True):
    """The GPUs that are measured, where there are many those that the caller's sessions use.

    There are none where GPUs are simulated. `total` counts all.
    """

    items: tuple[GpuUse, ...]
    total: int
    revision: str


class SessionUtilisation(Model, frozen=True, kw_only=True):
    """The GPU utilisation of a session, in per cent, at the last checks; the newest is last."""

    session: str
    percents: tuple[int, ...]


class UtilisationList(Model, frozen=True, kw_only=True):
    """The utilisation of those sessions of which it is measured: none on simulated GPUs.

    `interval` is the time between two checks, in seconds.
    """

    items: tuple[SessionUtilisation, ...]
    interval: int
    revision: str
