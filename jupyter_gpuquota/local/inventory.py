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


class Driver(Protocol):
    """Look at real devices."""

    def read(self, *, mps: bool) -> Inventory:
        """Read everything anew."""

    def close(self) -> None:
        """Let go of the driver."""
