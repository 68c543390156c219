"""The route that previews a change of settings."""

from __future__ import annotations

from ..projects import ChangePreview, SettingsChange
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "settings.preview",
        "POST",
        "/settings/preview",
        ChangePreview,
        "Preview a change of projects, rules or node groups",
        request=SettingsChange,
        need="admin",
    ),
)
