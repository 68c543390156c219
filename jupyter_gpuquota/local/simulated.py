"""Devices that do not exist, always labelled as such."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.resources import Device, Node
from .config import SimulatedNode


def simulated_nodes(settings: Iterable[SimulatedNode]) -> tuple[Node, ...]:
    """Return the configured inventory."""
    return tuple(
        Node(
            name=setting.name,
            devices=tuple(
                Device(
                    index=index,
                    uuid=f"SIM-{setting.name}-{index}",
                    model=setting.model,
                    memory=setting.memory,
                    simulated=True,
                )
                for index in range(setting.gpus)
            ),
            labels=setting.labels,
            separate=setting.separate,
        )
        for setting in settings
    )
