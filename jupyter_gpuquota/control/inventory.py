"""The inventory of a backend: nodes and foreign workloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model.nodes import Reading
from ..model.resources import Holding, Node


@dataclass(frozen=True, slots=True)
class Inventory:
    """One reading of all nodes, and of the GPUs held by workloads that are not our sessions."""

    nodes: tuple[Node, ...]
    readings: Mapping[str, Reading] = field(default_factory=dict)
    holdings: tuple[Holding, ...] = ()
