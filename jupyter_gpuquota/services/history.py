"""Use cases of the history."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from ..core.usage.history import visible_users, window_of
from ..model.history import History
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> History:
    """Return how GPUs were used; users are named to members of their project."""
    history = require(backend, "history", backend.history)
    wanted = window_of(call.query, datetime.now(UTC))
    elsewhere = {name: visible_users(rights) for name, rights in call.rights.clusters.items()}
    return await history.read(
        replace(wanted, visible=visible_users(call.rights), elsewhere=elsewhere)
    )
