"""The routes of datasets."""

from __future__ import annotations

from ..datasets.datasets import Dataset, DatasetChange, DatasetList, DatasetRequest
from ..struct import Nothing
from .route import Route

_ONE = "/datasets/{dataset}"

ROUTES: tuple[Route, ...] = (
    Route(
        "datasets.list", "GET", "/datasets", DatasetList, "List datasets by name", noun="datasets"
    ),
    Route(
        "datasets.create",
        "POST",
        "/datasets",
        Dataset,
        "Create a dataset without versions",
        request=DatasetRequest,
        status=201,
    ),
    Route("datasets.get", "GET", _ONE, Dataset, "Show a dataset", noun="datasets"),
    Route(
        "datasets.change",
        "PATCH",
        _ONE,
        Dataset,
        "Change a dataset's description, project, readers or writers",
        request=DatasetChange,
    ),
    Route("datasets.delete", "DELETE", _ONE, Nothing, "Remove a dataset and all its versions"),
)
