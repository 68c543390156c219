"""The routes of lakes."""

from __future__ import annotations

from ..datasets.jobs import Job
from ..datasets.lakes import CollectRequest, LakeList
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route("lakes.list", "GET", "/lakes", LakeList, "List the lakes of the admins", noun="datasets"),
    Route(
        "lakes.collect",
        "POST",
        "/lakes/{lake}/collect",
        Job,
        "Remove what no version of a lake needs",
        request=CollectRequest,
        need="admin",
    ),
)
