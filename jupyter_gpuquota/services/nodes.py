"""Use cases of nodes."""

from __future__ import annotations

from ..core import disclosure
from ..core.usage.nodes import draw
from ..model.nodes import Nodes, SessionUtilisation, UtilisationList
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


async def utilisation(backend: Backend, call: Call) -> UtilisationList:
    """Return how busy the GPUs were of the sessions that the caller sees."""
    measured = backend.usage.utilisation()
    found = (
        SessionUtilisation(session=session.id, percents=measured[session.id])
        for session in disclosure.seen(backend.sessions.all(), call.rights)
        if session.id in measured
    )
    return UtilisationList(
        items=tuple(found),
        interval=backend.usage.interval,
        revision=backend.changes.revision("utilisation"),
    )
