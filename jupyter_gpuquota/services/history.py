"""Use cases of the history."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from ..core.history import sight_of, window
from ..model.history import History
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> History:
    """Return how GPUs were used; people are named to those who belong to a project."""
    kept = require(backend, "history", backend.history)
    asked = window(call.query, datetime.now(UTC))
    return await kept.read(replace(asked, sight=sight_of(call.rights)))
