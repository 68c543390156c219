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
        arguments=(*_arguments(task, lake), "--cache", CACHE_FOLDER, "--job", task.id, *_REPORT),
        secret=lake.credentials if lake else "",
    )


def _arguments(task: Task, lake: Lake | None) -> tuple[str, ...]:
    url = ("--lake", lake.url) if lake else ()
    match task.verb:
        case "cache" | "verify":
            return (f"{task.dataset}@{task.version}", *url)
        case "evict":
            return tuple(f"{dataset}@{version}" for dataset, version in task.copies)
        case _:
            return ()
