"""Use cases of projects: see, set, delete, and try out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from ..core import history, members, projects, replay, whatif
from ..core.plans import Situation
from ..errors import FieldError
from ..model.history import HistoryQuery
from ..model.projects import (
    ChangePreview,
    ProjectAnswer,
    ProjectChange,
    ProjectRemoval,
    Projects,
)
from ..model.quota import Project
from ..model.resources import MILLI
from ..ports.backend import Administration, Backend, History
from .admin import administration
from .call import Call

_WEEK = 7 * 24
_STEPS = 2000
"""How far back, in hours, a change is tried, and in how many steps at most."""


async def list_(backend: Backend, call: Call) -> Projects:
    """Show the projects as they are set."""
    found = backend.projects()
    able = backend if isinstance(backend, Administration) else None
    return Projects(
        items=found,
        source=able.set_by() if able else "config",
        file=able.quota_path() if able else "",
        revision=backend.revision("quota"),
        warnings=members.doubts(found, backend.nodes()),
    )


async def put(backend: Backend, call: Call) -> ProjectAnswer:
    """Make a project, or change one."""
    able = administration(backend, call)
    request = projects.named(call.body, call.args["name"])
    project = projects.check(request, _known(backend, able))
    kept = await able.put_project(project, call.user)
    return ProjectAnswer(project=kept, warnings=members.doubts(backend.projects(), backend.nodes()))


async def delete(backend: Backend, call: Call) -> ProjectAnswer:
    """Delete a project; one with sessions only if it is to drain."""
    able = administration(backend, call)
    name, query = call.args["name"], call.query
    removal: ProjectRemoval = query
    left = await able.delete_project(name, removal.revision, call.user, drain=removal.drain)
    return ProjectAnswer(
        project=left,
        sessions=members.live_of(name, backend.sessions()) if left else (),
        warnings=members.doubts(backend.projects(), backend.nodes()),
    )


async def preview(backend: Backend, call: Call) -> ChangePreview:
    """Say what a change would do to the present state, and would have done to the last week."""
    able = administration(backend, call)
    situation = Situation(
        sessions=backend.sessions(),
        projects=backend.projects(),
        nodes=backend.nodes(),
        now=datetime.now(UTC),
        rules=backend.rules(),
    )
    changed = _changed(call.body, backend, able)
    # With thousands of sessions it takes long enough for others to notice; nothing is shared.
    found = await asyncio.to_thread(whatif.compare, situation, changed)
    if isinstance(backend, History):
        week = history.window(HistoryQuery(hours=_WEEK, points=_STEPS), situation.now)
        past = await backend.history(week)
        devices = sum(not d.lost for node in situation.nodes for d in node.devices)
        found = replay.with_past(found, past.points, situation.projects, changed, MILLI * devices)
    return members.with_refusals(found, call.body.delete, backend.sessions())


def _known(backend: Backend, able: Administration) -> projects.Known:
    return projects.Known(nodes=backend.nodes(), groups=able.groups())


def _changed(change: ProjectChange, backend: Backend, able: Administration) -> Sequence[Project]:
    """Return the projects as they would be. Raises InvalidFields, NotFound."""
    known = _known(backend, able)
    found = {project.name: project for project in backend.projects()}
    for name in change.delete:
        projects.find(name, found.values())
    names = [request.name for request in change.put]
    for i, request in enumerate(change.put):
        if request.name in names[:i]:
            message = f"{request.name} is named twice."
            projects.refuse([FieldError(f"put[{i}].name", message, "Keep one of them.")])
        project = projects.check(request, known, prefix=f"put[{i}].")
        found[project.name] = project
    return members.without(found.values(), change.delete, backend.sessions())
