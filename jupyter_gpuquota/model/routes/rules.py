"""The routes of the rules for all projects."""

from __future__ import annotations

from ..projects import RulesRequest
from ..quota import Rules
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route("rules.get", "GET", "/rules", Rules, "Show the rules for all projects"),
    Route(
        "rules.put",
        "PUT",
        "/rules",
        Rules,
        "Change the rules for all projects",
        request=RulesRequest,
        need="admin",
    ),
)
