"""The devices of this machine and their work, as read from the driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...control.inventory import Inventory


@dataclass(frozen=True, slots=True)
class DeviceInventory(Inventory):
    """One reading of all devices.

    `memory` maps (device, pid) to the MiB that the process holds there, None if unknown. `hidden`
    is whether the driver lists others, which may be any process: their pids are not ours.
    """

    memory: Mapping[tuple[str, int], int | None] = field(default_factory=dict)
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a device, or MIG instance, since an earlier reading.

    `whole` is its utilisation in per cent at this moment, `processes` the highest of each active
    process; None where the driver does not report it. `stamp` is the argument of the next reading.
    `newest` is the utilisation of processes that are active at this moment. `most` is the highest
    utilisation as a whole where there were several readings. `drawing` are the processes that draw
    with it: those of a screen, where they are in no session.
    """

    whole: int | None
    processes: Mapping[int, int] | None
    stamp: int = 0
    newest: Mapping[int, int] = field(default_factory=dict)
    most: int | None = None
    drawing: frozenset[int] = frozenset()


class Driver(Protocol):
    """Reads real devices."""

    def read(self, *, mps: bool) -> DeviceInventory:
        """Read all devices."""

    def work(self, uuid: str, since: int) -> Work | None:
        """Return a device's work since a time stamp; None if it does not respond."""

    def close(self) -> None:
        """Close the driver."""
