"""The route that waits for changes."""

from __future__ import annotations

from ..about import ChangesQuery, Revisions
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "changes.wait",
        "GET",
        "/changes",
        Revisions,
        "Wait until something changes",
        query=ChangesQuery,
        internal=True,
        need="anyone",
        timeout=90.0,
    ),
)
