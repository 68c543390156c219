"""Use cases of quota."""

from __future__ import annotations

from msgspec.structs import replace

from ..core import disclosure
from ..model.quota import Quota
from ..ports.backend import Backend
from .call import Call


async def get(backend: Backend, call: Call) -> Quota:
    """Return every project with what it holds and waits for."""
    found = disclosure.quota(backend.usage.quota(), backend.inventory.projects(), call.rights)
    return replace(found, admin=found.admin and backend.administration is not None)
