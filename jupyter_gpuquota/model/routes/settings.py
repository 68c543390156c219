"""The routes of all settings together."""

from __future__ import annotations

from ..projects import SettingsText, SettingsTextRequest
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "settings.get",
        "GET",
        "/settings",
        SettingsText,
        "Show all settings as the text of a quota file",
        need="admin",
    ),
    Route(
        "settings.put",
        "PUT",
        "/settings",
        SettingsText,
        "Change all settings by the text of a quota file",
        request=SettingsTextRequest,
        need="admin",
    ),
)
