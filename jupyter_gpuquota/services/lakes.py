"""Use cases of lakes."""

from __future__ import annotations

from ..core.datasets import disclosure
from ..model.datasets.jobs import Job
from ..model.datasets.lakes import CollectRequest, Lake, LakeList
from ..ports.backend import Backend, require
from . import datasets
from .call import Call


async def list_(backend: Backend, call: Call) -> LakeList:
    """Return the lakes that the caller may use."""
    found = datasets.able(backend).lakes()
    return LakeList(
        items=tuple(disclosure.lake(lake, call.rights) for lake in found if _usable(lake, call))
    )


async def collect(backend: Backend, call: Call) -> Job:
    """Start to remove what no version of a lake needs."""
    request: CollectRequest = call.body
    jobs = require(backend, "jobs", backend.jobs)
    return await jobs.collect(call.args["lake"], call.who, request.grace)


def _usable(lake: Lake, call: Call) -> bool:
    rights = call.rights
    return rights.admin or not lake.projects or any(map(rights.launches, lake.projects))
