"""Use cases of volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..core.requests.mounts import VolumeFacts, asked
from ..core.volumes import requests, rights, uses
from ..errors import FieldError
from ..model.messages.build import field_error
from ..model.sessions import SessionRequest
from ..model.struct import Nothing
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import Volume, VolumeAction, VolumeList, VolumeQuery
from ..ports.backend import Backend, require
from ..ports.volumes import Volumes
from .call import Call


async def list_(backend: Backend, call: Call) -> VolumeList:
    """Return the volumes that the caller may see, and the classes for new ones."""
    query: VolumeQuery = call.query
    volumes = able(backend)
    return VolumeList(
        items=tuple(rights.seen(volumes.all(), call.rights, query.project)),
        classes=volumes.classes(query.project),
        problems=volumes.problems(),
    )


async def get(backend: Backend, call: Call) -> Volume:
    """Return one volume."""
    return find(backend, call)


async def create(backend: Backend, call: Call) -> Volume:
    """Check a request and create its volume."""
    volumes = able(backend)
    projects = [project.name for project in backend.inventory.projects()]
    classes = volumes.classes(call.body.project)
    wanted = requests.new_volume(call.body, volumes.all(), classes, projects, call.rights)
    return rights.shown(await volumes.create(wanted), call.rights)


async def change(backend: Backend, call: Call) -> Volume:
    """Change a volume."""
    volumes, volume = able(backend), find(backend, call, "change")
    size = requests.changed_size(volume, call.body, volumes.classes(volume.project))
    return rights.shown(await volumes.change(volume, call.body, size), call.rights)


async def delete(backend: Backend, call: Call) -> Nothing:
    """Delete a volume that nothing mounts."""
    volume = find(backend, call, "delete")
    if problem := uses.in_use(volume):
        raise problem
    await able(backend).delete(volume)
    return Nothing()


def find(backend: Backend, call: Call, action: VolumeAction | None = None) -> Volume:
    """Return the volume that the path names. Raises NotFound, NotAllowed."""
    args = call.args
    project = args["project"].replace("~", "/")  # proxies rewrite %2F
    volume = rights.find(project, args["volume"], able(backend).all(), call.rights)
    if action:
        rights.check(action, volume, call.rights)
    return volume


def able(backend: Backend) -> Volumes:
    """Return the capability. Raises Unsupported."""
    return require(backend, "volumes", backend.volumes)


async def facts(backend: Backend, call: Call, project: str) -> VolumeFacts | None:
    """Return what the volumes of a request are checked against; None if they are not known."""
    request: SessionRequest = call.body
    volumes = backend.volumes
    if volumes is None or not volumes.knows(project):
        return None
    known = VolumeFacts()
    if request.volumes:
        seen = rights.seen(volumes.all(), call.rights, project)
        known = VolumeFacts(volumes=seen, classes=volumes.classes(project))
    mounts = asked(request.volumes, request.name, known, backend.inventory.containers)
    found = await volumes.check(request, project, mounts, call.who)
    problems = [*found, *_forbidden(mounts, call, project)]
    return replace(known, problems=problems)


def _forbidden(mounts: Mapping[str, Mount], call: Call, project: str) -> Iterator[FieldError]:
    """Yield which new volumes the caller may not make."""
    if call.rights.lacks("create volumes", project):
        for field, mount in mounts.items():
            if mount.size:
                yield field_error(field, "volume.right", project=project)
