"""The arguments of the program in Jobs, by task. Pure."""

from __future__ import annotations

from ...model.datasets.lakes import Lake
from ..builders.data_job import CACHE_FOLDER, DataJob
from .project_cache import ProjectCache
from .task import Task

_REPORT = ("--report", "lines")


def job_of(task: Task, cache: ProjectCache, lake: Lake | None) -> DataJob:
    """Return the Job that does a task on a claim; `lake` is None where none is read."""
    return DataJob(
        id=task.id,
        verb=task.verb,
        namespace=cache.namespace,
        claim=cache.claim,
        arguments=(
            *_versions(task),
            *("--job", task.id, *_REPORT, "--cache", CACHE_FOLDER),
            *(("--capacity", str(cache.capacity)) if cache.capacity else ()),
            *(("--lake", lake.url) if lake else ()),
            *(("--only", task.only) if task.only else ()),
            *(("--grace", str(task.grace)) if task.verb == "gc" else ()),
            *(("--keep", *task.keep) if task.keep else ()),
        ),
        secret=_secret(lake),
    )


def _versions(task: Task) -> tuple[str, ...]:
    """Return the versions that a task works on; their ids are whole."""
    copies = ((task.dataset, task.version),) if task.dataset else task.copies
    return tuple(f"{dataset}@{version}" for dataset, version in copies)


def _secret(lake: Lake | None) -> str:
    """Return the Secret of a lake; a file of the controller's machine is not in pods."""
    return lake.credentials if lake and not lake.credentials.startswith("/") else ""
