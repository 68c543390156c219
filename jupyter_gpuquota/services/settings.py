"""Use cases of settings: projects, rules and node groups together."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core import members
from ..core.forecast import backtest
from ..core.forecast.settings_change import Present, changed
from ..core.scheduling.capacity import capacity_of
from ..core.scheduling.snapshot import ClusterSnapshot
from ..core.usage import history
from ..model.history import HistoryQuery
from ..model.projects import ChangePreview, SettingsText
from ..ports.backend import Backend, require
from .call import Call

_WEEK = 7 * 24
_STEPS = 2000
"""The past to try a change on: hours, and the most steps."""


async def get(backend: Backend, call: Call) -> SettingsText:
    """Return all settings as the text of a quota file."""
    return await require(backend, "administration", backend.administration).text()


async def put(backend: Backend, call: Call) -> SettingsText:
    """Change all settings by the text of a quota file."""
    able = require(backend, "administration", backend.administration)
    return await able.put_text(call.body, call.who)


async def preview(backend: Backend, call: Call) -> ChangePreview:
    """Return what a change would do to the present state, and would have done to the last week."""
    able = require(backend, "administration", backend.administration)
    effect = await backend.planning.try_change(call.body)
    now, sessions, nodes = datetime.now(UTC), backend.sessions.all(), backend.inventory.nodes()
    if backend.history:
        past = await backend.history.read(
            history.window_of(HistoryQuery(hours=_WEEK, points=_STEPS), now)
        )
        before = ClusterSnapshot(sessions, backend.inventory.projects(), nodes, now)
        after = changed(call.body, Present(before, able.found_nodes(), able.groups()))
        capacity = capacity_of(nodes)
        effect = backtest.with_past(effect, past.points, before.projects, after.projects, capacity)
    return members.with_refusals(effect, call.body.delete, sessions)
