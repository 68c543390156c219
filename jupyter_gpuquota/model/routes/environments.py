"""The route of environments."""

from __future__ import annotations

from ..environments import EnvironmentQuery, Environments
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "environments.list",
        "GET",
        "/environments",
        Environments,
        "List the environments that sessions may start from",
        query=EnvironmentQuery,
    ),
)
