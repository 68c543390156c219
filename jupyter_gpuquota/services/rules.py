"""Use cases of the rules for all projects."""

from __future__ import annotations

from ..core.projects import check_rules
from ..model.quota import Rules
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> Rules:
    """Return the rules."""
    return backend.inventory.rules()


async def put(backend: Backend, call: Call) -> Rules:
    """Change the rules."""
    able = require(backend, "administration", backend.administration)
    return await able.put("rules", check_rules(call.body), call.who)
