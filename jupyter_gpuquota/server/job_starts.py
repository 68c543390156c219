"""Jobs that this Jupyter Server starts: it has the folders, and its user's credentials."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

import msgspec

from ..api.decoding import decode_body
from ..api.dispatch import ApiRequest, ApiResponse, Dispatcher
from ..client import Client
from ..errors import FieldError, refused
from ..model.datasets.caches import CachedVersion
from ..model.datasets.jobs import Job, JobRequest, JobStarted


class Start(Protocol):
    """What starts a job, and returns it once its process has reported. Blocks."""

    def __call__(self, request: JobRequest, folder: Path) -> str:
        """Return the id of the job, empty if there is nothing to do. Raises GpuQuotaError."""


class JobStarts:
    """A dispatcher that starts jobs itself, and forwards all else."""

    def __init__(self, inner: Dispatcher, root: str, start: Start) -> None:
        self._inner = inner
        self._root = root
        self._start = start

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Start a job, or forward the request."""
        if request.route.name != "jobs.start":
            return await self._inner.dispatch(request)
        asked = decode_body(request.body, JobRequest)
        folder = Path(self._root, asked.folder).expanduser()
        await asyncio.to_thread(_check, asked, folder)
        job = await asyncio.to_thread(self._start, asked, folder)
        return ApiResponse(HTTPStatus.ACCEPTED, msgspec.json.encode(JobStarted(id=job)))


def starter(connect: Callable[[], Client] = Client) -> Start:
    """Return what starts jobs by way of a client, which finds the controller of this server."""

    def start(request: JobRequest, folder: Path) -> str:
        datasets = connect().datasets
        name = f"{request.dataset}@{request.version}" if request.version else request.dataset
        job: Job | CachedVersion
        if request.kind == "sync":
            job = datasets.sync(
                request.dataset, folder, message=request.message, tag=request.tag, wait=False
            )
        elif request.kind == "export":
            job = datasets.export(name, folder, wait=False)
        else:
            job = datasets.cache(name, wait=False)
        return job.id if isinstance(job, Job) else ""

    return start


def _check(request: JobRequest, folder: Path) -> None:
    """Raise InvalidFields for a folder that a job cannot have."""
    if request.kind == "cache":
        return
    if not request.folder:
        raise refused(FieldError("folder", "Name a folder.", "Such as data/train."))
    if request.kind == "sync" and not folder.is_dir():
        raise refused(FieldError("folder", f"There is no folder {folder}."))
