"""The routes of lakes."""

from __future__ import annotations

from ..datasets.datasets import CollectRequest, LakeList
from ..datasets.jobs import Job
from ..datasets.settings import DataChangePreview, DataSettings, DataSettingsRequest
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route("lakes.list", "GET", "/lakes", LakeList, "List the lakes of the admins", noun="datasets"),
    Route(
        "lakes.settings",
        "GET",
        "/lakes/settings",
        DataSettings,
        "Show the lakes and the rules for cached versions",
        need="admin",
    ),
    Route(
        "lakes.put",
        "PUT",
        "/lakes/settings",
        DataSettings,
        "Change the lakes and the rules for cached versions",
        request=DataSettingsRequest,
        need="admin",
    ),
    Route(
        "lakes.preview",
        "POST",
        "/lakes/settings/preview",
        DataChangePreview,
        "Preview a change of the lakes and the rules for cached versions",
        request=DataSettingsRequest,
        need="admin",
    ),
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
