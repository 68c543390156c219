"""The route of who answers."""

from __future__ import annotations

from ..about import About
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "about.get",
        "GET",
        "/about",
        About,
        "Show which controller answers, and what it can do",
        need="anyone",
    ),
)
