"""A Jupyter Server starts jobs where its folders are, and forwards everything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.errors import InvalidFields, NotFound
from jupyter_gpuquota.model.datasets.jobs import JobRequest
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.server.job_starts import JobStarts
from tests.fakes import me

pytestmark = pytest.mark.asyncio


class Controller:
    """Answers that it was asked."""

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        return ApiResponse(418, asked.route.name.encode())


class Started:
    """Remembers what was started."""

    def __init__(self) -> None:
        self.jobs: list[tuple[JobRequest, Path]] = []

    def __call__(self, request: JobRequest, folder: Path) -> str:
        if request.dataset == "nothing":
            raise NotFound("Dataset 'nothing' not found.", hint="Datasets: faces.")
        self.jobs.append((request, folder))
        return "job-1"


async def post(root: Path, started: Started, **body: str) -> ApiResponse:
    asked = ApiRequest(route("jobs.start"), me("ana"), body=json.dumps(body).encode())
    return await JobStarts(Controller(), str(root), started).dispatch(asked)


async def test_a_relative_folder_is_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    started = Started()
    answer = await post(tmp_path, started, kind="sync", dataset="faces", folder="data", tag="v1")
    assert (answer.status, json.loads(answer.body)) == (202, {"id": "job-1"})
    ((request, folder),) = started.jobs
    assert (request.tag, folder) == ("v1", tmp_path / "data")


@pytest.mark.parametrize("folder", ["", "missing", "file"])
async def test_a_folder_that_cannot_be_stored_is_refused_by_its_field(
    tmp_path: Path, folder: str
) -> None:
    (tmp_path / "file").touch()
    started = Started()
    with pytest.raises(InvalidFields) as caught:
        await post(tmp_path, started, kind="sync", dataset="faces", folder=folder)
    assert [field.field for field in caught.value.fields] == ["folder"]
    assert not started.jobs


async def test_a_version_that_is_cached_needs_no_folder(tmp_path: Path) -> None:
    started = Started()
    answer = await post(tmp_path, started, kind="cache", dataset="faces", version="v1")
    assert answer.status == 202
    assert started.jobs[0][0].version == "v1"


async def test_why_a_job_does_not_start_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nothing"):
        await post(tmp_path, Started(), kind="cache", dataset="nothing")


async def test_everything_else_is_forwarded(tmp_path: Path) -> None:
    asked = ApiRequest(route("jobs.list"), me("ana"))
    answer = await JobStarts(Controller(), str(tmp_path), Started()).dispatch(asked)
    assert (answer.status, answer.body) == (418, b"jobs.list")
