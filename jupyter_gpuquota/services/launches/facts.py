"""What a request is checked against."""

from __future__ import annotations

from ...core.idle.policy import NO_POLICY
from ...core.members import launchable
from ...core.requests import specs
from ...model.sessions import SessionRequest
from ...ports.backend import Backend
from .. import volumes as shared
from ..call import Call
from . import data


async def facts(backend: Backend, call: Call) -> specs.Facts:
    """Return what the request in a call is checked against."""
    request: SessionRequest = call.body
    projects = launchable(backend.inventory.projects(), call.rights)
    project = request.project or next((each.name for each in projects), "")
    backend = backend.at(project)
    inventory = backend.inventory
    return specs.Facts(
        projects=projects,
        nodes=inventory.nodes(),
        place=await inventory.look_up(request),
        fits=inventory.fit,
        policy=backend.policing.policy() if backend.policing else NO_POLICY,
        containers=inventory.containers,
        watched=tuple(p for p in call.rights.roles if not call.rights.launches(p)),
        right=call.rights.of(project).source.launching,
        data=await data.resolved(backend, call, request.data),
        volumes=await shared.facts(backend, call, project),
    )
