"""The route of licences."""

from __future__ import annotations

from ..licences import Licences
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route("licences.list", "GET", "/licences", Licences, "List licences", noun="licences"),
)
