"""Datasets, versions and jobs for tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from jupyter_gpuquota.model.datasets.caches import CachedVersion
from jupyter_gpuquota.model.datasets.datasets import Dataset
from jupyter_gpuquota.model.datasets.files import DataFile
from jupyter_gpuquota.model.datasets.jobs import Job
from jupyter_gpuquota.model.datasets.versions import Version

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST, SECOND = "3f" * 32, "a7" * 32


def make_dataset(name: str = "digits", **more: Any) -> Dataset:
    base = {"lake": "local", "project": "team-a", "owner": "ana", "created": NOW, **more}
    return Dataset(name=name, **base)


def make_version(version: str = FIRST, **more: Any) -> Version:
    base = {"dataset": "digits", "time": NOW, "files": 3, "size": 4500, **more}
    return Version(id=version, **base)


def make_copy(version: str = FIRST, **more: Any) -> CachedVersion:
    base = {"state": "cached", "size": 4500, "files": 3, "used": NOW, **more}
    return CachedVersion(dataset="digits", version=version, **base)


def make_job(state: str = "running", **more: Any) -> Job:
    base = {"id": "job1", "kind": "sync", "dataset": "digits", "version": FIRST, **more}
    return Job(state=state, started=NOW, updated=NOW, **base)


def make_file(path: str, **more: Any) -> DataFile:
    return DataFile(path=path, name=path.rpartition("/")[2], **{"kind": "file", **more})
