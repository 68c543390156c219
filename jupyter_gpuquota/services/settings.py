"""Use cases of all settings together."""

from __future__ import annotations

from ..model.projects import SettingsText
from ..ports.backend import Backend, require
from .call import Call


async def get(backend: Backend, call: Call) -> SettingsText:
    """Return all settings as the text of a quota file."""
    return await require(backend, "administration", backend.administration).text()


async def put(backend: Backend, call: Call) -> SettingsText:
    """Change all settings by the text of a quota file."""
    able = require(backend, "administration", backend.administration)
    return await able.put_text(call.body, call.who)
