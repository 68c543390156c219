"""The route of the lineage of datasets."""

from __future__ import annotations

from ..datasets.lineage import Lineage, LineageQuery
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "lineage.get",
        "GET",
        "/datasets/{dataset}/lineage",
        Lineage,
        "Show what has made the versions of a dataset, and what has used them",
        query=LineageQuery,
        noun="datasets",
    ),
)
