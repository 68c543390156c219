"""Use cases of projects: see, set and delete."""

from __future__ import annotations

from ..core import members, projects
from ..model.projects import ProjectAnswer, ProjectRemoval, Projects
from ..ports.backend import Administration, Backend
from .admin import administration
from .call import Call


async def list_(backend: Backend, call: Call) -> Projects:
    """Show the projects as they are set."""
    found = backend.projects()
    able = backend if isinstance(backend, Administration) else None
    return Projects(
        items=found,
        source=able.set_by() if able else "config",
        file=able.quota_path() if able else "",
        revision=backend.revision("quota"),
        warnings=(
            *(able.setting_warnings() if able else ()),
            *members.doubts(found, backend.nodes()),
        ),
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


def _known(backend: Backend, able: Administration) -> projects.Known:
    return projects.Known(nodes=backend.nodes(), groups=able.groups())
