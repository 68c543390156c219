"""The route of quota."""

from __future__ import annotations

from ..quota import Quota
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
)
