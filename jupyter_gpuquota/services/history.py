"""Use cases of the history."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from ..core.history import sight_of, window
from ..errors import Unsupported
from ..model.history import History as Past
from ..ports.backend import Backend, History
from . import admin
from .call import Call


async def get(backend: Backend, call: Call) -> Past:
    """Show how GPUs were used; who is told to members of a project, and to admins."""
    if not isinstance(backend, History):
        raise Unsupported(f"The {backend.name} backend keeps no history.")
    asked = window(call.query, datetime.now(UTC))
    if not admin.is_admin(backend, call.user):
        asked = replace(asked, sight=sight_of(backend.projects(), call.user))
    return await backend.history(asked)
