"""Use cases of nodes."""

from __future__ import annotations

from ..core.nodes import draw
from ..model.nodes import Nodes
from ..ports.backend import Backend
from .call import Call


async def list_(backend: Backend, call: Call) -> Nodes:
    """Show every node with its devices and slices."""
    return Nodes(
        nodes=draw(backend.nodes(), backend.sessions(), backend.readings()),
        source=backend.source,
        revision=backend.revision("nodes"),
    )
