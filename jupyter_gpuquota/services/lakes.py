"""Use cases of lakes."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.datasets.rights import lake
from ..core.datasets.settings import check_data, effect
from ..model.datasets.datasets import CollectRequest, Lake, LakeList
from ..model.datasets.jobs import Job
from ..model.datasets.settings import DataChangePreview, DataSettings
from ..ports.backend import Backend, require
from . import datasets
from .call import Call


async def list_(backend: Backend, call: Call) -> LakeList:
    """Return the lakes that the caller may use."""
    found = datasets.able(backend).lakes()
    return LakeList(items=tuple(lake(each, call.rights) for each in found if _usable(each, call)))


async def settings(backend: Backend, call: Call) -> DataSettings:
    """Return the lakes and the rules for cached versions."""
    return require(backend, "lakes", backend.lakes).settings()


async def put(backend: Backend, call: Call) -> DataSettings:
    """Change the lakes and the rules for cached versions."""
    able = require(backend, "lakes", backend.lakes)
    return await able.put(_checked(backend, call), call.who)


async def preview(backend: Backend, call: Call) -> DataChangePreview:
    """Return what a change of the lakes and rules would do now."""
    require(backend, "lakes", backend.lakes)
    known = backend.datasets.all() if backend.datasets else ()
    cached = backend.caches.all() if backend.caches else ()
    capacity = backend.caches.room().capacity if backend.caches else 0
    return effect(_checked(backend, call), known, cached, capacity, datetime.now(UTC))


async def collect(backend: Backend, call: Call) -> Job:
    """Start to remove what no version of a lake needs."""
    request: CollectRequest = call.body
    jobs = require(backend, "jobs", backend.jobs)
    return await jobs.collect(call.args["lake"], call.who, request.grace)


def _checked(backend: Backend, call: Call) -> DataSettings:
    return check_data(call.body, [project.name for project in backend.inventory.projects()])


def _usable(lake: Lake, call: Call) -> bool:
    rights = call.rights
    return rights.admin or not lake.projects or any(map(rights.launches, lake.projects))
