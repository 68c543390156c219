"""Use cases of nodes."""

from __future__ import annotations

from ..core import disclosure
from ..core.nodes import draw
from ..model.nodes import Nodes
from ..ports.backend import Backend
from .call import Call


async def list_(backend: Backend, call: Call) -> Nodes:
    """Return every node with its devices and slices."""
    found = backend.inventory
    holdings = backend.usage.holdings()
    drawn = draw(found.nodes(), backend.sessions.all(), found.readings(), holdings)
    return Nodes(
        nodes=disclosure.nodes(drawn, call.rights),
        source=found.source,
        revision=backend.changes.revision("nodes"),
    )
