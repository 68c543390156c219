"""Use cases of quota."""

from __future__ import annotations

from ..core.quota import sum_up
from ..model.quota import Quota
from ..ports.backend import Backend
from .call import Call


async def get(backend: Backend, call: Call) -> Quota:
    """Show every project with what it holds and waits for."""
    return sum_up(
        backend.projects(),
        backend.sessions(),
        backend.nodes(),
        backend.revision("quota"),
    )
