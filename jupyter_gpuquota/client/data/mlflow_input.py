"""A version as an input of an MLflow run. Imported only where it is logged."""

from __future__ import annotations

from typing import Any

import mlflow
from mlflow.data.dataset_source import DatasetSource
from mlflow.data.meta_dataset import MetaDataset

from ...model.datasets.versions import Version
from ..connection import discovery
from ..connection.context import Context
from .caches import Caches

_DIGITS = 36
"""The longest digest that MLflow stores (`mlflow.utils.validation`)."""


class VersionSource(DatasetSource):  # type: ignore[misc]  # MLflow is not installed for checks
    """Where a version is: a dataset's name and an id, which stand for the same files for ever."""

    def __init__(self, dataset: str, version: str) -> None:
        self._dataset = dataset
        self._version = version

    @staticmethod
    def _get_source_type() -> str:
        return "gpuquota"

    def load(self) -> str:
        """Return the read-only folder of the cached version. Raises NotFound without one."""
        caches = Caches(Context(discovery.find))
        return str(caches.path(f"{self._dataset}@{self._version}"))

    @staticmethod
    def _can_resolve(_raw_source: Any) -> bool:
        return False

    @classmethod
    def _resolve(cls, raw_source: Any) -> VersionSource:
        raise TypeError(f"{raw_source!r} names no version")

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the id."""
        return {"dataset": self._dataset, "version": self._version}

    @classmethod
    def from_dict(cls, source_dict: dict[Any, Any]) -> VersionSource:
        """Return the source with this name and id."""
        return cls(source_dict["dataset"], source_dict["version"])


def log_version(version: Version, context: str) -> None:
    """Log a version as an input of the current run, which begins if there is none."""
    source = VersionSource(version.dataset, version.id)
    logged = MetaDataset(source, name=version.dataset, digest=version.id[:_DIGITS])
    tags = {"gpuquota.version": version.id}
    mlflow.log_input(logged, context=context or None, tags=tags)
