"""Configuration of the memory backend: `c.MemoryConfig`."""

from __future__ import annotations

from traitlets import Integer
from traitlets.config import Configurable

from ..model.resources import Node, simulated_devices

_MODEL, _MEMORY = "V100-32GB", 32_768


class MemoryConfig(Configurable):
    """Settings of the demo nodes."""

    nodes = Integer(2, min=0, max=1000, help="Number of demo nodes.").tag(config=True)

    gpus = Integer(8, min=1, max=64, help="Number of GPUs of each demo node.").tag(config=True)

    def inventory(self) -> tuple[Node, ...]:
        """Return the demo nodes."""
        return tuple(_node(f"demo-{number}", self.gpus) for number in range(1, self.nodes + 1))


def _node(name: str, gpus: int) -> Node:
    return Node(name=name, devices=simulated_devices(name, gpus, _MODEL, _MEMORY))
