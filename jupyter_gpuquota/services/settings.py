"""Try a change of settings out: projects, rules, node groups, or several of them at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from ..core import changes, history, members, replay, whatif
from ..core.plans import Situation
from ..model.history import HistoryQuery
from ..model.projects import ChangePreview
from ..model.resources import MILLI
from ..ports.backend import Backend, History
from .admin import administration
from .call import Call

_WEEK = 7 * 24
_STEPS = 2000
"""How far back, in hours, a change is tried, and in how many steps at most."""


async def preview(backend: Backend, call: Call) -> ChangePreview:
    """Say what a change would do to the present state, and would have done to the last week."""
    able = administration(backend, call)
    before = Situation(
        sessions=backend.sessions(),
        projects=backend.projects(),
        nodes=backend.nodes(),
        now=datetime.now(UTC),
        rules=backend.rules(),
    )
    present = changes.Present(before, able.found_nodes(), able.groups())
    after = changes.changed(call.body, present)
    # With thousands of sessions it takes long enough for others to notice; nothing is shared.
    found = await asyncio.to_thread(whatif.compare, before, after)
    if isinstance(backend, History):
        week = history.window(HistoryQuery(hours=_WEEK, points=_STEPS), before.now)
        past = await backend.history(week)
        capacity = MILLI * sum(not d.lost for node in before.nodes for d in node.devices)
        found = replay.with_past(found, past.points, before.projects, after.projects, capacity)
    return members.with_refusals(found, call.body.delete, before.sessions)
