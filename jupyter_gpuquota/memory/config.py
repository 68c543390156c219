"""What an admin may set of the memory backend: `c.MemoryConfig`."""

from __future__ import annotations

from traitlets import Integer
from traitlets.config import Configurable

from ..model.resources import Device, Node

_MODEL, _MEMORY = "V100-32GB", 32_768


class MemoryConfig(Configurable):
    """Settings of nodes that do not exist."""

    nodes = Integer(2, min=0, max=1000, help="How many demo nodes there are.").tag(config=True)

    gpus = Integer(8, min=1, max=64, help="How many GPUs each of them has.").tag(config=True)

    def inventory(self) -> tuple[Node, ...]:
        """Return the demo nodes."""
        return tuple(_node(f"demo-{number}", self.gpus) for number in range(1, self.nodes + 1))


def _node(name: str, gpus: int) -> Node:
    return Node(
        name=name,
        devices=tuple(
            Device(
                index=index,
                uuid=f"SIM-{name}-{index}",
                model=_MODEL,
                memory=_MEMORY,
                simulated=True,
            )
            for index in range(gpus)
        ),
    )
