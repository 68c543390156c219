"""Use cases of quota."""

from __future__ import annotations

from ..core.members import seen_by
from ..core.quota import sum_up
from ..model.quota import Quota
from ..ports.backend import Backend
from . import admin
from .call import Call


async def get(backend: Backend, call: Call) -> Quota:
    """Show every project with what it holds and waits for."""
    found = sum_up(
        backend.projects(),
        backend.sessions(),
        backend.nodes(),
        backend.revision("quota"),
    )
    mine = admin.mine(backend, call.user)
    return seen_by(found, mine, admin=admin.is_admin(backend, call.user))
