"""Use cases of the history."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.history import window
from ..errors import Unsupported
from ..model.history import History as Past
from ..ports.backend import Backend, History
from .call import Call


async def get(backend: Backend, call: Call) -> Past:
    """Show how GPUs were used."""
    if not isinstance(backend, History):
        raise Unsupported(f"The {backend.name} backend keeps no history.")
    return await backend.history(window(call.query, datetime.now(UTC)))
