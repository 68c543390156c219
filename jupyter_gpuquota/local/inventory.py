"""What the devices of this machine are found to be, and to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..control.inventory import Inventory


@dataclass(frozen=True, slots=True)
class DeviceInventory(Inventory):
    """One look at all devices.

    `memory` maps (device, pid) to the MiB that the process holds there, None if unknown.
    """

    memory: Mapping[tuple[str, int], int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Work:
    """What a device, or a MIG instance, has done since an earlier look.

    `whole` is its utilisation in per cent, `processes` the highest of each process that did
    anything; None where the driver does not tell. `stamp` is what to ask with the next time.
    """

    whole: int | None
    processes: Mapping[int, int] | None
    stamp: int = 0


class Driver(Protocol):
    """What looks at real devices."""

    def read(self, *, mps: bool) -> DeviceInventory:
        """Read everything anew."""

    def work(self, uuid: str, since: int) -> Work | None:
        """Return what a device has done since a stamp; None if it does not answer."""

    def close(self) -> None:
        """Let go of the driver."""
