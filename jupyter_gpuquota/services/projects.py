"""Use cases of projects."""

from __future__ import annotations

from ..core import disclosure, members, projects
from ..core.usage.quota import in_departments
from ..model.clusters.names import cluster_of
from ..model.projects import (
    ChangePreview,
    ProjectAnswer,
    ProjectRemoval,
    ProjectRequest,
    Projects,
)
from ..model.quota import Project
from ..ports.administration import Administration
from ..ports.backend import Backend, require
from .call import Call


async def list_(backend: Backend, call: Call) -> Projects:
    """Return the projects as they are set."""
    items = in_departments(backend.inventory.projects(), backend.usage.quota().departments)
    able = backend.administration
    warnings = (*(able.warnings() if able else ()), *_doubts(backend))
    return Projects(
        items=tuple(disclosure.project(item, call.rights) for item in items),
        source=able.set_by() if able else "config",
        file=able.quota_path() if able else "",
        revision=backend.changes.revision("quota"),
        warnings=warnings,
    )


async def put(backend: Backend, call: Call) -> ProjectAnswer:
    """Create or change a project."""
    able = require(backend, "administration", backend.administration)
    request = projects.named(call.body, call.args["name"])
    kept = await able.put_project(_checked(backend, able, request), call.who)
    return ProjectAnswer(project=kept, warnings=_doubts(backend))


async def preview(backend: Backend, call: Call) -> ChangePreview:
    """Return what a change of a project would do to the present state; revisions are ignored."""
    able = require(backend, "administration", backend.administration)
    return await backend.planning.try_change(_checked(backend, able, call.body))


async def delete(backend: Backend, call: Call) -> ProjectAnswer:
    """Delete a project; one with sessions only with `drain`."""
    able = require(backend, "administration", backend.administration)
    name, query = call.args["name"], call.query
    removal: ProjectRemoval = query
    left = await able.delete_project(name, removal.revision, call.who, drain=removal.drain)
    return ProjectAnswer(
        project=left,
        sessions=members.live_of(name, backend.sessions.all()) if left else (),
        warnings=_doubts(backend),
    )


def _checked(backend: Backend, able: Administration, request: ProjectRequest) -> Project:
    known = projects.Known(nodes=backend.inventory.nodes(), groups=able.groups())
    return projects.check(request, known)


def _doubts(backend: Backend) -> tuple[str, ...]:
    projects, nodes = backend.inventory.projects(), backend.inventory.nodes()
    found = [
        members.warnings(
            [each for each in projects if cluster_of(each.name) == cluster],
            [each for each in nodes if cluster_of(each.name) == cluster],
        )
        for cluster in sorted({cluster_of(each.name) for each in projects})
    ]
    return tuple(text for texts in found for text in texts)
