"""Use cases of node groups."""

from __future__ import annotations

from ..core.projects import check_groups
from ..model.projects import Groups
from ..ports.backend import Administration, Backend
from .admin import administration
from .call import Call


async def get(backend: Backend, call: Call) -> Groups:
    """Show the node groups."""
    return backend.groups() if isinstance(backend, Administration) else Groups()


async def put(backend: Backend, call: Call) -> Groups:
    """Change the node groups."""
    able = administration(backend, call)
    checked = check_groups(call.body, able.found_nodes(), backend.projects())
    return await able.put_groups(checked, call.user)
