"""The routes of quota."""

from __future__ import annotations

from ..quota import Quota
from ..volumes.storage import StorageList, StorageQuery
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "quota.get",
        "GET",
        "/quota",
        Quota,
        "Show projects and their use",
        noun="quota",
        need="anyone",
    ),
    Route(
        "quota.storage",
        "GET",
        "/storage",
        StorageList,
        "Show how much storage projects use, by kind",
        query=StorageQuery,
    ),
)
