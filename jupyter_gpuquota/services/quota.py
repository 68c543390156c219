"""Use cases of quota."""

from __future__ import annotations

import msgspec

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
    mine = tuple(project.name for project in admin.mine(backend, call.user))
    return msgspec.structs.replace(
        found,
        mine=mine,
        default=mine[0] if mine else "",
        admin=admin.is_admin(backend, call.user),
    )
