"""Try a change of settings out: projects, rules, node groups, or several of them at once."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core import history, members, replay
from ..core.plans import Situation
from ..core.quota import capacity_of
from ..core.settings_change import Present, changed
from ..model.history import HistoryQuery
from ..model.projects import ChangePreview
from ..ports.backend import Backend, require
from .call import Call

_WEEK = 7 * 24
_STEPS = 2000
"""How far back, in hours, a change is tried, and in how many steps at most."""


async def preview(backend: Backend, call: Call) -> ChangePreview:
    """Return what a change would do to the present state, and would have done to the last week."""
    able = require(backend, "administration", backend.administration)
    found = await backend.planning.try_change(call.body)
    now, sessions, nodes = datetime.now(UTC), backend.sessions.all(), backend.inventory.nodes()
    if backend.history:
        past = await backend.history.read(
            history.window(HistoryQuery(hours=_WEEK, points=_STEPS), now)
        )
        before = Situation(sessions, backend.inventory.projects(), nodes, now)
        after = changed(call.body, Present(before, able.found_nodes(), able.groups()))
        capacity = capacity_of(nodes)
        found = replay.with_past(found, past.points, before.projects, after.projects, capacity)
    return members.with_refusals(found, call.body.delete, sessions)
