"""Use cases of volumes."""

from __future__ import annotations

from ..core.volumes import requests, rights, uses
from ..model.struct import Nothing
from ..model.volumes import Volume, VolumeAction, VolumeList, VolumeQuery
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
    volume = rights.find(args["project"], args["volume"], able(backend).all(), call.rights)
    if action:
        rights.check(action, volume, call.rights)
    return volume


def able(backend: Backend) -> Volumes:
    """Return the capability. Raises Unsupported."""
    return require(backend, "volumes", backend.volumes)
