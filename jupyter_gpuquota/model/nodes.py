"""Nodes as they are used now."""

from __future__ import annotations

from .base import Model
from .resources import Device


class Reading(Model, frozen=True, kw_only=True):
    """Be the newest measurement of one device; None where the driver does not tell.

    `utilisation` in per cent and `memory_used` in MiB, over all processes.
    """

    utilisation: int | None = None
    memory_used: int | None = None


class SliceUse(Model, frozen=True, kw_only=True):
    """Which session holds a part of a device; an empty `session` is a workload beside ours.

    `milli` and `memory` (MiB) are its share, `used` (MiB) what was measured, None where the
    driver does not tell; `over` is true while it uses more memory than its share.
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
    """Say how a device is used. `free` in milli-GPU; the measurements are None if unknown.

    `utilisation` in per cent and `memory_used` in MiB are the driver's, for all processes.
    """

    device: Device
    slices: tuple[SliceUse, ...]
    free: int
    utilisation: int | None = None
    memory_used: int | None = None


class NodeUse(Model, frozen=True, kw_only=True):
    """Say how a node is used."""

    name: str
    simulated: bool
    devices: tuple[DeviceUse, ...]


class Nodes(Model, frozen=True, kw_only=True):
    """List the nodes; `source` says where the inventory comes from."""

    nodes: tuple[NodeUse, ...]
    source: str
    revision: str
