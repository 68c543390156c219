"""The use case of the lineage of datasets."""

from __future__ import annotations

from ..core.datasets.lineage import lineage_of
from ..core.snapshots import rights
from ..model.datasets.lineage import Lineage, LineageQuery
from ..ports.backend import Backend
from . import datasets, versions
from .call import Call


async def get(backend: Backend, call: Call) -> Lineage:
    """Return what has made the versions of a dataset, or one of them, and what has used them."""
    query: LineageQuery = call.query
    dataset = datasets.find(backend, call)
    found = await datasets.able(backend).versions(dataset.name)
    if query.version:
        found = (await versions.resolved(backend, dataset, query.version),)
    uses = await backend.uses.of(dataset.name) if backend.uses else ()
    taken = backend.snapshots.all() if backend.snapshots else ()
    visible = [each for each in rights.seen(taken, call.rights) if "see" in each.actions]
    sessions = backend.sessions.all()
    return lineage_of(dataset.name, found, uses, sessions, visible, call.rights)
