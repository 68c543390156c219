"""Use cases of the rules that hold for all projects."""

from __future__ import annotations

from ..core.projects import check_rules
from ..model.quota import Rules
from ..ports.backend import Backend
from .admin import administration
from .call import Call


async def get(backend: Backend, call: Call) -> Rules:
    """Show the rules."""
    return backend.rules()


async def put(backend: Backend, call: Call) -> Rules:
    """Change the rules."""
    able = administration(backend, call)
    return await able.put_rules(check_rules(call.body), call.user)
