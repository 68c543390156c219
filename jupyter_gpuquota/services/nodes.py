"""Use cases of nodes."""

from __future__ import annotations

from ..core import disclosure
from ..core.usage.nodes import draw
from ..model.nodes import Nodes
from ..ports.backend import Backend
from .call import Call


async def list_(backend: Backend, call: Call) -> Nodes:
    """Return every node with its devices and slices."""
    inventory = backend.inventory
    holdings = backend.usage.holdings()
    nodes = draw(inventory.nodes(), backend.sessions.all(), inventory.readings(), holdings)
    return Nodes(
        nodes=disclosure.nodes(nodes, call.rights),
        source=inventory.source,
        revision=backend.changes.revision("nodes"),
    )
