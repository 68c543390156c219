"""Use cases of node groups."""

from __future__ import annotations

from ..core.projects import check_groups
from ..model.projects import Groups
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> Groups:
    """Return the node groups."""
    return backend.administration.groups() if backend.administration else Groups()


async def put(backend: Backend, call: Call) -> Groups:
    """Change the node groups."""
    able = require(backend, "administration", backend.administration)
    checked = check_groups(call.body, able.found_nodes(), backend.inventory.projects())
    return await able.put("groups", checked, call.who)
