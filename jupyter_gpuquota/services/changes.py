"""Use cases of changes."""

from __future__ import annotations

from ..model.about import ChangesQuery, Revisions
from ..ports.backend import Backend
from .call import Call


async def wait(backend: Backend, call: Call) -> Revisions:
    """Return after a change or the timeout; at once if the instance is another one."""
    query: ChangesQuery = call.query
    same = query.instance == backend.changes.instance
    timeout = min(max(query.timeout, 0), 60)
    return await backend.changes.changed(query.since if same else "", timeout)
