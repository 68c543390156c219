"""What a backend finds there is to share out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model.nodes import Reading
from ..model.resources import Holding, Node


@dataclass(frozen=True, slots=True)
class Inventory:
    """One look at all nodes, and at what workloads hold that are not sessions of ours."""

    nodes: tuple[Node, ...]
    readings: Mapping[str, Reading] = field(default_factory=dict)
    holdings: tuple[Holding, ...] = ()
