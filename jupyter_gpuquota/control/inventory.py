"""What the devices of this machine are found to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..model.nodes import Reading
from ..model.resources import Node


@dataclass(frozen=True, slots=True)
class Inventory:
    """Be one look at all devices.

    `memory` maps (device, pid) to the MiB that the process holds there, None if not told.
    """

    nodes: tuple[Node, ...]
    readings: Mapping[str, Reading] = field(default_factory=dict)
    memory: Mapping[tuple[str, int], int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Work:
    """Be what a device, or a MIG instance, has done since an earlier look.

    `whole` is its utilisation in per cent, `processes` the highest of each process that did
    anything; None where the driver does not tell. `stamp` is what to ask with the next time.
    """

    whole: int | None
    processes: Mapping[int, int] | None
    stamp: int = 0


class Driver(Protocol):
    """Look at real devices."""

    def read(self, *, mps: bool) -> Inventory:
        """Read everything anew."""

    def work(self, uuid: str, since: int) -> Work | None:
        """Read what a device has done since a stamp; None if it does not answer."""

    def close(self) -> None:
        """Let go of the driver."""
