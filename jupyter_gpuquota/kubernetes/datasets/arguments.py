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
            *("--job", task.id, *_REPORT, "--cache", CACHE_FOLDER),
            *(("--capacity", str(cache.capacity)) if cache.capacity else ()),
            *(("--lake", lake.url) if lake else ()),
            *_versions(task),
        ),
        secret=lake.credentials if lake else "",
    )


def _versions(task: Task) -> tuple[str, ...]:
    """Return the names of datasets and the ids of their versions, in turn."""
    if task.verb == "evict":
        return tuple(word for copy in task.copies for word in copy)
    return (task.dataset, task.version) if task.dataset else ()
