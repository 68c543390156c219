"""Use cases of nodes."""

from __future__ import annotations

from ..core import disclosure
from ..core.usage.gpus import measured, of_interest
from ..core.usage.nodes import draw
from ..model.nodes import GpuList, Nodes, NodeUse, SessionUtilisation, UtilisationList
from ..ports.backend import Backend
from .call import Call


async def list_(backend: Backend, call: Call) -> Nodes:
    """Return every node with its devices and slices."""
    return Nodes(
        nodes=_nodes(backend, call),
        source=backend.inventory.source,
        revision=backend.changes.revision("nodes"),
    )


async def gpus(backend: Backend, call: Call) -> GpuList:
    """Return what is measured of GPUs: of all on a small system, else of those in own use."""
    rights = call.rights
    own = {each.id for each in backend.sessions.all() if rights.owns(each)}
    found = measured(_nodes(backend, call), own | {rights.caller.session} - {""})
    return GpuList(
        items=tuple(of_interest(found)),
        total=len(found),
        revision=backend.changes.revision("gpus"),
    )


async def utilisation(backend: Backend, call: Call) -> UtilisationList:
    """Return how busy the GPUs were of the sessions that the caller sees."""
    known = backend.usage.utilisation()
    found = (
        SessionUtilisation(session=session.id, percents=known[session.id])
        for session in disclosure.seen(backend.sessions.all(), call.rights)
        if session.id in known
    )
    return UtilisationList(
        items=tuple(found),
        interval=backend.usage.interval,
        revision=backend.changes.revision("utilisation"),
    )


def _nodes(backend: Backend, call: Call) -> tuple[NodeUse, ...]:
    inventory = backend.inventory
    holdings = backend.usage.holdings()
    nodes = draw(inventory.nodes(), backend.sessions.all(), inventory.readings(), holdings)
    return disclosure.nodes(nodes, call.rights)
