"""Use cases of quota."""

from __future__ import annotations

from ..core import disclosure
from ..model.quota import Quota
from ..ports.backend import Backend
from .call import Call


async def get(backend: Backend, call: Call) -> Quota:
    """Return the use of every project."""
    found, projects = backend.usage.quota(), backend.inventory.projects()
    editable = backend.administration is not None
    return disclosure.quota(found, projects, call.rights, editable=editable)
