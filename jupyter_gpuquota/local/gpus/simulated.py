"""Simulated devices, always labelled as such."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.resources import Node, simulated_devices
from ..config import SimulatedNode


def simulated_nodes(settings: Iterable[SimulatedNode]) -> tuple[Node, ...]:
    """Return the configured nodes with their devices."""
    return tuple(
        Node(
            name=setting.name,
            devices=simulated_devices(setting.name, setting.gpus, setting.model, setting.memory),
            labels=setting.labels,
            separate=setting.separate,
        )
        for setting in settings
    )
